// search.js: which items a search means.
//
//     scale             a word: in the name, in the stream, or in a fact
//     stream:upload     a word in that fact alone; also name:, kind:, line:
//     >10us  <2ms       longer or shorter than that
//
// All words of a search must hold; case does not matter.

function parse_search(text) {
  return text.trim().toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const duration = word.match(/^([<>])([\d.]+)(ns|us|µs|ms|s)$/);
    if (duration) {
      const unit = duration[3] === "µs" ? "us" : duration[3];
      return { is_longer: duration[1] === ">", time: Number(duration[2]) * time_units.find(([name]) => name === unit)[1] };
    }
    const named = word.match(/^(stream|name|kind|line):(.+)$/);
    return named ? { fact: named[1], word: named[2] } : { word };
  });
}

// The items that match, as one byte each; null for an empty search.
function find_items(data, text) {
  const terms = parse_search(text);
  if (terms.length === 0) return null;
  const matches = new Uint8Array(data.count).fill(1);
  for (const term of terms) {
    const holds = term.time !== undefined ? duration_test(data, term) : word_test(data, term);
    for (let item = 0; item < data.count; ++item) if (matches[item] && !holds(item)) matches[item] = 0;
  }
  return matches;
}

function duration_test(data, { is_longer, time }) {
  return is_longer ? (item) => data.duration(item) > time : (item) => data.duration(item) < time;
}

function word_test(data, { fact, word }) {
  const has_word = new Uint8Array(data.texts.length);  // each text is looked at once, however many items have it
  for (let i = 0; i < data.texts.length; ++i) has_word[i] = data.texts[i].toLowerCase().includes(word) ? 1 : 0;
  const kinds = data.activities.map(([, meaning]) => meaning.toLowerCase().includes(word));
  const name = (item) => has_word[data.label[item]] || has_word[data.name[item]];
  const stream = (item) => has_word[data.stream[item]];
  const kind = (item) => kinds[data.activity[item]];
  const line = (item) => data.facts[item].some((text, i) => i % 2 === 1 && has_word[text] && data.texts[data.facts[item][i - 1]] === "line");
  const any = (item) => name(item) || stream(item) || kind(item) || data.facts[item].some((text, i) => i % 2 === 1 && has_word[text]);
  return { name, stream, kind, line }[fact] ?? any;
}
