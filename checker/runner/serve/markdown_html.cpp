#include "runner/serve/markdown_html.h"

#ifdef STREAMLINGS_HAS_CMARK

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <cstdlib>
#include <memory>

namespace runner {

std::string markdown_html(std::string_view markdown) {
  static const bool is_registered = (cmark_gfm_core_extensions_ensure_registered(), true);
  static_cast<void>(is_registered);
  constexpr int options = CMARK_OPT_VALIDATE_UTF8;  // without CMARK_OPT_UNSAFE: HTML in the text is left out
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(cmark_parser_new(options),
                                                                           &cmark_parser_free);
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(cmark_parser_finish(parser.get()),
                                                                         &cmark_node_free);
  const std::unique_ptr<char, decltype(&std::free)> html(
      cmark_render_html(document.get(), options, cmark_parser_get_syntax_extensions(parser.get())),
      &std::free);
  return html.get();
}

}  // namespace runner

#else

#include "report/xml.h"

namespace runner {

std::string markdown_html(std::string_view markdown) {
  return "<pre>" + report::xml_escaped(std::string(markdown)) + "</pre>";
}

}  // namespace runner

#endif
