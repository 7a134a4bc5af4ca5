(() => {
  const container = document.getElementById('main');

  show().catch((error) => {
    container.textContent =
      'The OpenAPI document did not load. ' + error.message + '. Reload the page to try again.';
  });

  async function show() {
    const response = await fetch('/api/v1/openapi.json');
    if (!response.ok) throw new Error('The server responded with status ' + response.status);
    window.SwaggerUIBundle({
      domNode: container,
      spec: forThisPage(await response.json()),
      layout: 'BaseLayout',
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      deepLinking: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      persistAuthorization: false,
      // Its syntax highlighting colours have too little contrast.
      syntaxHighlight: false,
      // By default, Swagger UI sends the document to a validator on another host.
      validatorUrl: null,
      requestInterceptor: prepare,
    });
  }

  // PUBLIC_URL may differ from the page's own origin.
  function forThisPage(description) {
    description.servers = [{ url: '/api/v1' }];
    description.components.parameters.IdempotencyKey.required = false;
    return description;
  }

  // Throwing here would break the page, so the fetch function rejects.
  function prepare(request) {
    const headers = request.headers;
    if (/[sp]k_live_/.test(request.url + JSON.stringify(headers))) {
      headers.Authorization = 'removed';
      request.userFetch = () =>
        Promise.reject(
          new Error('Nothing was sent, because this is a live key. Use a test key (sk_test_…).')
        );
    }
    if (request.method.toUpperCase() !== 'GET' && !headers['X-Idempotency-Key'])
      headers['X-Idempotency-Key'] = 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', randomDigit);
    return request;
  }

  // Browsers don't offer crypto.randomUUID to a page loaded over plain http.
  function randomDigit() {
    return (crypto.getRandomValues(new Uint8Array(1))[0] % 16).toString(16);
  }
})();
