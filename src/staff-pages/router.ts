import { Router } from 'express'
import { readForm } from '../http/body/read-form.ts'
import type { SendError } from '../http/pages/page-errors.ts'
import { createPageHeaders } from '../http/pages/page-headers.ts'
import { awaitDatabaseTime, enforceDeadline, preparePage, setMount } from '../http/pages/prepare-page.ts'
import { sendAsset } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'
import { createSignInChecks, type SignInChecks } from '../staff/sign-in-limit.ts'
import { addAccountPages } from './account.ts'
import { auditExport } from './audit.ts'
import { createBoard } from './board/board.ts'
import { requireOwnOrigin } from './guards.ts'
import { sendNotFound, sendNotice } from './layout.ts'
import { recognise, refuseSignedOut, requireSession } from './session.ts'
import { addSignInPages } from './sign-in.ts'
import { style } from './style.ts'
import { addSupportRoutes } from './support-routes.ts'

/**
 * The path of a password link is a secret, so a referrer must not contain it. With `no-referrer`, browsers would send
 * `Origin: null` when submitting forms on these pages, and the origin check would refuse those forms.
 */
export const staffPageRights = { scripts: false, images: true, referrer: 'strict-origin' } as const

/**
 * Serves everything under `/admin`. All pages except those for signing in require a session. If an error is thrown,
 * `sendStaffError` sends an error page.
 */
export function adminPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use(preparePage('/admin', createPageHeaders(deps, staffPageRights)))
  router.get('/style.css', sendAsset({ type: 'css', content: style }))
  router.use(requireOwnOrigin(deps.config.publicUrl), awaitDatabaseTime(deps), recognise(deps))
  // Requests to Bull Board have no deadline, because retrying all jobs can take a long time.
  router.use('/queues', requireSession, setMount('/queues'), createBoard(deps))

  router.use('/audit/export', requireSession, auditExport(deps))
  router.use(readForm, enforceDeadline)
  const signInDeps: Deps & SignInChecks = Object.assign(Object.create(deps), createSignInChecks(deps))
  addSignInPages(router, signInDeps)
  router.use(requireSession)
  addAccountPages(router, signInDeps)
  addSupportRoutes(router, deps)
  router.use((_req, res) => sendNotFound(res))
  return router
}

const titles: Record<number, [title: string, sentence: string]> = {
  413: ['Form too large', 'This form is too large.'],
  429: ['Too many requests', 'Your other pages are still loading. Wait a moment, then reload this page.'],
  500: [
    'Something went wrong',
    'An unexpected error occurred. It is logged. Try again, or contact an operator.',
  ],
  503: ['Not available', 'The database is not responding. Try again in a few seconds.'],
}

/** Sends a staff page that explains the error. An act whose session has just ended is refused like any later one. */
export const sendStaffError: SendError = (req, res, status, error) => {
  if (status === 403) return refuseSignedOut(req, res)
  if (status === 404) return sendNotFound(res)
  const message = error instanceof Refusal ? error.message : 'This request is not valid.'
  const [title, sentence] = titles[status] ?? ['Request not valid', message]
  sendNotice(res, status, title, sentence)
}
