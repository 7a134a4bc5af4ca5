import { Router } from 'express'
import type { Deps } from '../../deps.ts'
import { readForm } from '../../http/body/read-form.ts'
import { createPageHeaders } from '../../http/pages/page-headers.ts'
import { awaitTime, limitTime, nameMount, preparePage } from '../../http/pages/prepare-page.ts'
import { createBoard } from '../board/board.ts'
import { requireOwnOrigin } from './guards.ts'
import { sendNotFound } from './respond.ts'
import { recognise, requireSession } from './session.ts'
import { signInPages } from './sign-in.ts'
import { style } from './style.ts'
import { supportRoutes } from './support-routes.ts'

/** `no-referrer` would make browsers send `Origin: null` with our own forms, which the guard below takes for another site's. */
export const staffPageRights = { scripts: false, images: true, referrer: 'same-origin' } as const

/** Everything under `/admin`: sign-in for all, the rest for whoever is signed in. Errors become pages in errors.ts. */
export function adminPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use(preparePage('/admin', createPageHeaders(deps, staffPageRights)))
  router.get('/style.css', (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.type('css').send(style)
  })
  router.use(requireOwnOrigin(deps.config.publicUrl), awaitTime(deps), recognise(deps))
  // Bull Board's time is its own: a retry of all takes as long as it takes.
  router.use('/queues', requireSession, nameMount('/queues'), createBoard(deps))

  router.use(readForm, limitTime)
  router.use(signInPages(deps))
  router.use(requireSession)
  router.use(supportRoutes(deps))
  router.use((_req, res) => sendNotFound(res))
  return router
}
