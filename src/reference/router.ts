import { type Request, type Response, Router } from 'express'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { createPageHeaders } from '../http/pages/page-headers.ts'
import { preparePage } from '../http/pages/prepare-page.ts'
import { sendPage } from '../http/pages/send-page.ts'
import { cliPath, readClients } from './clients.ts'
import { pageWith } from './page.ts'
import { bundle, bundlePath, scriptPath, stylePath, swaggerStyle, swaggerStylePath } from './paths.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/**
 * The page runs scripts from this service, which call this API. All images that the page shows are `data:` URLs in
 * Swagger UI's stylesheet, so the page loads no image files. Requests are sent without a referrer.
 */
const rights = { scripts: true, images: false, referrer: 'no-referrer' } as const

const files = [
  { path: bundlePath, type: 'js', content: bundle },
  { path: swaggerStylePath, type: 'css', content: swaggerStyle },
  { path: scriptPath, type: 'js', content: script },
  { path: stylePath, type: 'css', content: style },
]

/**
 * Serves `/docs`, the API reference, where merchants can try out operations with a test key, and the clients under
 * `/docs/clients`. The page stores nothing in the browser.
 */
export function referencePages(deps: Pick<Deps, 'config'>): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const prepare = preparePage('', createPageHeaders(deps, rights))
  for (const { path, type, content } of files)
    router.get(path, prepare, (_req: Request, res: Response) => {
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
      res.type(type).send(content)
    })
  const clients = readClients(deps.config)
  const isPacked = clients.some(({ path }) => path === cliPath)
  const page = pageWith(isPacked ? deps.config.publicUrl + cliPath : null)
  router.get('/docs', prepare, (_req: Request, res: Response) => sendPage(res, 200, page))
  for (const { path, type, content } of clients)
    router.get(path, prepare, (_req: Request, res: Response) => {
      // A release changes the file, but not its path.
      res.setHeader('Cache-Control', 'public, max-age=300')
      res.type(type).send(content)
    })
  router.all(['/docs', ...[...files, ...clients].map(({ path }) => path)], () => {
    throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
  })
  return router
}
