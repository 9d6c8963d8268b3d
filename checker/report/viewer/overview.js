// overview.js: the whole run in a strip, with the part that is in view. Dragging the strip moves the view.

const overview_height = 30;

class overview {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.context = canvas.getContext("2d");
  }

  // How busy each pixel was: host, copies, kernels one below the other. Computed once for a width.
  prepare(tracks, width) {
    if (width === this.width) return;
    this.width = width;
    this.painted = null;
    this.bands = ["call", "copy_to_device", "kernel", "copy_to_host"].map((css_class) => ({ css_class, busy: new Float32Array(width) }));
    const scale = width / this.data.length;
    for (const one of tracks) {
      if (one.kind !== "spans" || one.group === "stream") continue;
      for (const { items } of one.rows) for (const item of items) this.add(item, scale);
    }
  }

  add(item, scale) {
    const { data } = this, css_class = data.css_class(item);
    const band = this.bands.find((some) => some.css_class === css_class);
    if (!band) return;
    const from = data.start[item] * scale, to = data.end[item] * scale;
    for (let x = Math.floor(from); x < to && x < this.width; ++x) band.busy[x] += Math.min(x + 1, to) - Math.max(x, from);
  }

  // The bands, once for a width and a set of colours.
  paint(colours) {
    const scale = window.devicePixelRatio || 1, { width } = this;
    this.painted = document.createElement("canvas");
    this.painted_colours = colours;
    this.painted.width = this.canvas.width = Math.round(width * scale);
    this.painted.height = this.canvas.height = Math.round(overview_height * scale);
    const context = this.painted.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = colours.band;
    context.fillRect(0, 0, width, overview_height);
    const height = (overview_height - 6) / this.bands.length;
    for (const [i, { css_class, busy }] of this.bands.entries()) {
      context.fillStyle = css_class === "call" ? colours.host_code : colours[css_class];
      for (let x = 0; x < width; ++x) {
        if (busy[x] === 0) continue;
        context.globalAlpha = Math.min(1, 0.25 + 0.75 * busy[x]);
        context.fillRect(x, 3 + i * height, 1, height - 1);
      }
    }
  }

  draw(axis, colours) {
    const { context, width } = this;
    if (!this.painted || this.painted_colours !== colours) this.paint(colours);
    context.globalAlpha = 1;
    context.drawImage(this.painted, 0, 0, width, overview_height);
    if (axis.is_whole) return;
    const x1 = (axis.from / axis.whole) * width, x2 = Math.max(x1 + 3, (axis.to / axis.whole) * width);
    context.fillStyle = colours.paper;
    context.globalAlpha = 0.7;
    context.fillRect(0, 0, x1, overview_height);
    context.fillRect(x2, 0, width - x2, overview_height);
    context.globalAlpha = 1;
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.strokeRect(x1 + 0.75, 0.75, Math.max(2, x2 - x1 - 1.5), overview_height - 1.5);
  }
}
