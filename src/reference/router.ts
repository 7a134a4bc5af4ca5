import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Request, type Response, Router } from 'express'
import { html } from 'ghtml'
// Importing the package would execute all of Swagger UI in this process.
import folderOfSwaggerUi from 'swagger-ui-dist/absolute-path.js'
import { createAsset, createStylesheet, readAsset, serveAsset } from '../http/pages/assets.ts'
import { preparePage } from '../http/pages/prepare-page.ts'
import { renderDocument, sendPage } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { guideAssets, readClientFiles, readGuide } from './guide.ts'
import { packagesRouter, readPackages } from './packages.ts'

const readSwagger = (name: string): Buffer => readFileSync(join(folderOfSwaggerUi(), name))

const assets = [
  createAsset('/docs', 'css', readSwagger('swagger-ui.css')),
  createStylesheet('/docs', ['reference/reference.css']),
  createAsset('/docs', 'js', readSwagger('swagger-ui-bundle.js')),
  createAsset('/docs', 'js', readAsset('reference/scripts/operations.js')),
]

/** Swagger UI's images are `data:` URLs in its stylesheet. */
const rights = { scripts: true, images: false, referrer: 'no-referrer' } as const

export function referenceRouter(deps: Pick<Deps, 'config'>): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const prepare = preparePage(deps, rights)
  for (const asset of [...assets, ...guideAssets]) router.get(asset.path, prepare, serveAsset(asset))
  const clients = readClientFiles(deps.config)
  const packages = readPackages()
  router.use(packagesRouter(deps, packages))
  const cli = packages.find(({ file }) => file.startsWith('payment-intents-mru-cli-'))
  const files = [...clients, ...readGuide(deps.config, packages)]
  const page = pageWith(cli === undefined ? null : deps.config.publicUrl + cli.path)
  router.get('/docs/api', prepare, (_req: Request, res: Response) => sendPage(res, 200, page))
  for (const { path, type, content } of files)
    router.get(path, prepare, (_req: Request, res: Response) => {
      // A release changes the file but not its path.
      res.setHeader('Cache-Control', 'public, max-age=300')
      res.type(type).send(content)
    })
  router.all(['/docs/api', ...[...assets, ...guideAssets, ...files].map(({ path }) => path)], () => {
    throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
  })
  return router
}

const pageWith = (cliUrl: string | null): string =>
  renderDocument(
    { language: 'en', title: 'Payment intents API', assets, skip: 'Skip to the operations' },
    html`<header>
<p><a href="/docs">Guide</a></p>
<h1>Payment intents API</h1>
<p>Try every operation with a <strong>test key</strong> (<code>sk_test_…</code>). No money moves. Press <em>Authorize</em> and paste the key.
Then open an operation and press <em>Execute</em>. The page forgets the key when you close or reload it.</p>
<p class="warning"><strong>Do not use a live key here.</strong> The page does not send keys that begin with <code>sk_live_</code> or
<code>pk_live_</code>.</p>
<p>Every write needs an <code>X-Idempotency-Key</code>. If you leave it empty, the page sends a new one each time.
<a href="/api/v1/openapi.json">OpenAPI document</a>
· <a href="/docs/clients">Packages for Node.js, Python and PHP</a>
· <a href="/docs/clients/payments.postman_collection.json">Postman collection</a></p>
!${cliUrl === null ? '' : html`<p>See events on your machine as they happen: <code>npx --yes ${cliUrl} listen</code></p>`}
</header>
<main id="main"><noscript>This page needs JavaScript. The OpenAPI document does not.</noscript></main>`,
  )
