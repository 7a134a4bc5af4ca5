import { html } from 'ghtml'
import { bundlePath, scriptPath, stylePath, swaggerStylePath } from './paths.ts'

/**
 * Returns the API reference page. Its script renders the operations from the OpenAPI document. `cliUrl` is the URL of
 * the command line for merchants, or null if it is not packed.
 */
export const pageWith = (cliUrl: string | null): string => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment intents API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${swaggerStylePath}">
<link rel="stylesheet" href="${stylePath}">
<script src="${bundlePath}" defer></script>
<script src="${scriptPath}" defer></script>
</head>
<body>
<header>
<h1>Payment intents API</h1>
<p>Try every operation with a <strong>test key</strong> (<code>sk_test_…</code>). No money moves. Press <em>Authorize</em> and paste the key.
Then open an operation and press <em>Execute</em>. The page forgets the key when you close or reload it.</p>
<p class="warning"><strong>Do not use a live key here.</strong> The page does not send keys that begin with <code>sk_live_</code> or
<code>pk_live_</code>.</p>
<p>Every write needs an <code>X-Idempotency-Key</code>. If you leave it empty, the page sends a new one each time.
<a href="/api/v1/openapi.json">OpenAPI document</a>
· <a href="/docs/clients/payments.ts">TypeScript client</a>
· <a href="/docs/clients/payments.postman_collection.json">Postman collection</a></p>
!${cliUrl === null ? '' : html`<p>See events on your machine as they happen: <code>npx --yes ${cliUrl} listen</code></p>`}
</header>
<main id="operations"><noscript>This page needs JavaScript. The OpenAPI document does not.</noscript></main>
</body>
</html>
`
