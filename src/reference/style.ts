export const referenceStyle = `
body {
  margin: 0;
  background: #fff;
  color: #222;
  font: 16px/1.5 system-ui, sans-serif;
}
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
header { max-width: 1420px; margin: 0 auto; padding: 16px 20px 0; }
h1 { margin: 0; font-size: 1.6rem; }
header p { max-width: 48rem; margin: 8px 0; overflow-wrap: anywhere; }
.warning {
  padding: 8px 12px;
  border-left: 4px solid #b00020;
  background: #fdecee;
}
a { color: #0b57d0; }

/* There is only one server, and responses have no links. */
.swagger-ui .servers-title, .swagger-ui .servers, .swagger-ui .info .title, .swagger-ui .info__license, .swagger-ui .response-col_links {
  display: none;
}
.swagger-ui .responses-inner { overflow-wrap: anywhere; }
.swagger-ui select { max-width: 100%; }
@media (max-width: 640px) {
  .swagger-ui .response-col_status {
    min-width: 3em;
    width: 3em;
    padding-right: 8px;
  }
  .swagger-ui .response-col_description { width: auto; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag > small { flex: 1 0 100%; order: 1; padding: 0; }
  /* This column shows the type of a response header, which is always string. */
  .swagger-ui table.headers .header-col:last-child { display: none; }
}
.swagger-ui .info { margin: 16px 0; }
.swagger-ui .scheme-container { padding: 8px 0; }

/* These colours have a contrast of at least 4.5 to 1. */
.swagger-ui a, .swagger-ui .info a { color: #0b57d0; }
.swagger-ui .btn.authorize { border-color: #1b6e45; color: #1b6e45; }
.swagger-ui .btn.authorize svg { fill: #1b6e45; }
.swagger-ui .btn.execute { border-color: #1d5fae; background: #1d5fae; }
.swagger-ui .btn.cancel, .swagger-ui .parameter__name.required::after, .swagger-ui .parameter__name.required span {
  color: #b00020;
}
.swagger-ui .opblock .opblock-summary-method { text-shadow: none; }
.swagger-ui .opblock.opblock-post .opblock-summary-method {
  background: #1b6e45;
}
.swagger-ui .opblock.opblock-get .opblock-summary-method {
  background: #1d5fae;
}
.swagger-ui .opblock.opblock-put .opblock-summary-method {
  background: #8f5400;
}
.swagger-ui .opblock.opblock-patch .opblock-summary-method {
  background: #0f6b64;
}
.swagger-ui .opblock.opblock-delete .opblock-summary-method {
  background: #b00020;
}
.swagger-ui .parameter__in, .swagger-ui .parameter__deprecated, .swagger-ui .prop-format {
  color: #555;
}
.swagger-ui .download-contents { background: #41444e; }

.swagger-ui pre.microlight, .swagger-ui .highlight-code pre {
  overflow-wrap: anywhere;
  white-space: pre-wrap;
  word-break: normal;
}
`
