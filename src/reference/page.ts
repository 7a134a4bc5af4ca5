import { html } from 'ghtml'
import { bundlePath, looksPath, scriptPath, stylePath } from './paths.ts'

/** The whole document. What it shows below its first lines is made by the script, from the description. */
export const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API of the payment intents</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${looksPath}">
<link rel="stylesheet" href="${stylePath}">
<script src="${bundlePath}" defer></script>
<script src="${scriptPath}" defer></script>
</head>
<body>
<header>
<h1>API of the payment intents</h1>
<p>Try every operation with a <strong>test key</strong>, <code>sk_test_…</code>: no money moves. Press <em>Authorize</em>, paste the key,
open an operation, press <em>Execute</em>. The page forgets the key when you close or reload it.</p>
<p class="warning"><strong>Live keys do not belong here.</strong> A key that begins with <code>sk_live_</code> or <code>pk_live_</code>
is not sent.</p>
<p>Every write needs an <code>X-Idempotency-Key</code>: leave it empty, and each press of <em>Execute</em> sends a fresh one.
<a href="/api/v1/openapi.json">The description for machines</a></p>
</header>
<main id="operations"><noscript>This page needs scripts; the description for machines does not.</noscript></main>
</body>
</html>
`
