/** Starts Swagger UI's `SwaggerUIBundle`. It's a string, so that the compiler includes it in dist. */
export const referenceScript = `(function () {
'use strict';
var container = document.getElementById('main');

fetch('/api/v1/openapi.json')
  .then(function (response) {
    if (!response.ok) throw new Error('The server responded with status ' + response.status);
    return response.json();
  })
  .then(show)
  .catch(function (error) {
    container.textContent = 'The OpenAPI document did not load. ' + error.message + '. Reload the page to try again.';
  });

function show(description) {
  window.SwaggerUIBundle({
    domNode: container,
    spec: forThisPage(description),
    layout: 'BaseLayout',
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    persistAuthorization: false,
    // The colours of its syntax highlighting have too little contrast.
    syntaxHighlight: false,
    // By default, Swagger UI sends the document to a validator on another host.
    validatorUrl: null,
    requestInterceptor: prepare,
  });
}

// Makes requests go to the page's origin, whatever PUBLIC_URL is, and lets the form omit the idempotency key.
function forThisPage(description) {
  description.servers = [{ url: '/api/v1' }];
  each(description.components && description.components.parameters, makeOptional);
  each(description.paths, function (path) {
    each(path.parameters, makeOptional);
    each(path, function (operation) { each(operation.parameters, makeOptional); });
  });
  return description;
}

function makeOptional(parameter) {
  if (parameter.name !== 'X-Idempotency-Key') return;
  parameter.required = false;
  delete parameter.example;
  delete parameter.examples;
}

// Live keys are blocked. An exception would break the page, so they get a fetch function that fails.
function prepare(request) {
  var headers = request.headers;
  if (/[sp]k_live_/.test(request.url + JSON.stringify(headers))) {
    headers.Authorization = 'removed';
    request.userFetch = function () {
      return Promise.reject(new Error('Nothing was sent, because this is a live key. Use a test key (sk_test_…).'));
    };
  }
  if (request.method.toUpperCase() !== 'GET' && !headers['X-Idempotency-Key'])
    headers['X-Idempotency-Key'] = uuid();
  return request;
}

// UUID v4. Browsers don't offer crypto.randomUUID to a page loaded over plain http.
function uuid() {
  var bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  var digits = Array.from(bytes, function (byte) { return byte.toString(16).padStart(2, '0'); }).join('');
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]]
    .map(function (part) { return digits.slice(part[0], part[1]); })
    .join('-');
}

function each(items, visit) {
  Object.keys(items || {}).forEach(function (name) { visit(items[name] || {}); });
}
})();
`
