/**
 * Starts Swagger UI on the page. A constant, so that the compiler alone carries it to dist. `SwaggerUIBundle` is the global name that
 * the package's file makes.
 */
export const script = `(function () {
'use strict';
var place = document.getElementById('operations');

fetch('/api/v1/openapi.json')
  .then(function (answer) {
    if (!answer.ok) throw new Error('It was answered ' + answer.status);
    return answer.json();
  })
  .then(show)
  .catch(function (error) {
    place.textContent = 'The description did not load. ' + error.message + '. Reload the page to try again.';
  });

function show(description) {
  window.SwaggerUIBundle({
    domNode: place,
    spec: asTriedHere(description),
    layout: 'BaseLayout',
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    persistAuthorization: false,
    // Its colours are too weak on their ground.
    syntaxHighlight: false,
    // Else the description would be sent to a checker on another host.
    validatorUrl: null,
    requestInterceptor: prepare,
  });
}

// Requests go where the page came from, whatever PUBLIC_URL says, and the form lets the idempotency key be empty.
function asTriedHere(description) {
  description.servers = [{ url: '/api/v1' }];
  each(description.components && description.components.parameters, free);
  each(description.paths, function (path) {
    each(path.parameters, free);
    each(path, function (operation) { each(operation.parameters, free); });
  });
  return description;
}

function free(parameter) {
  if (parameter.name !== 'X-Idempotency-Key') return;
  parameter.required = false;
  delete parameter.example;
  delete parameter.examples;
}

// What is about to be sent. What throws here would break the page, so a live key gets a request that fails by itself.
function prepare(request) {
  var headers = request.headers;
  if (/[sp]k_live_/.test(request.url + JSON.stringify(headers))) {
    headers.Authorization = 'left out';
    request.userFetch = function () {
      return Promise.reject(new Error('Nothing was sent: this is a live key. Use a test key here, sk_test_…'));
    };
  }
  if (request.method.toUpperCase() !== 'GET' && !headers['X-Idempotency-Key'])
    headers['X-Idempotency-Key'] = uuid();
  return request;
}

// As crypto.randomUUID makes it, which a page that came over plain http does not have.
function uuid() {
  var bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  var digits = Array.from(bytes, function (byte) { return byte.toString(16).padStart(2, '0'); }).join('');
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]]
    .map(function (part) { return digits.slice(part[0], part[1]); })
    .join('-');
}

function each(some, act) {
  Object.keys(some || {}).forEach(function (name) { act(some[name] || {}); });
}
})();
`
