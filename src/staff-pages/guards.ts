import type { NextFunction, Request, Response } from 'express'
import { isFromOwnSite, isSafeMethod } from '../http/pages/own-origin.ts'
import type { Deps } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import { mayStaff, type Permission, rolesWith } from '../staff/permissions.ts'
import { isOwnForm } from '../staff/staff-sessions.ts'
import { sendNotice, staffOf } from './layout.ts'

/** Returns the signed-in member of staff as the actor for the audit trail. Use this only after `requireSession`. */
export const byStaff = (req: Pick<Request, 'ip'>, res: Response, reason: string | null): By => ({
  actor: { kind: 'staff', name: staffOf(res).name, from: req.ip ?? null },
  reason,
  expectValid: staffOf(res).expectValid,
})

/**
 * Refuses a request other than GET or HEAD unless the browser reports that the request came from a page of this site.
 * The check covers everything under /admin, including the requests from Bull Board, which do not contain a CSRF token.
 */
export const requireOwnOrigin =
  (publicUrl: string) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (isSafeMethod(req) || isFromOwnSite(req, publicUrl)) return next()
    sendRefusal(res, 'This request did not come from a page of this site. Reload the page and try again.')
  }

/**
 * Refuses a form that does not contain the session's CSRF token. Every form that is shown after the password was
 * entered requires such a token.
 */
export function checkCsrf(req: Request, res: Response, next: NextFunction): void {
  if (isOwnForm(staffOf(res), csrfOf(req))) return next()
  refuseForeignForm(res)
}

/** Returns the CSRF token in a form. */
export const csrfOf = (req: Request): unknown => ((req.body ?? {}) as { csrf?: unknown }).csrf

export const refuseForeignForm = (res: Response): void =>
  sendRefusal(res, 'This form belongs to another session. Go back, reload the page and try again.')

const sendRefusal = (res: Response, sentence: string): void => sendNotice(res, 403, 'Refused', sentence)

/** Creates middleware that refuses a request unless the signed-in member of staff has a permission. */
export const requirePermission =
  (permission: Permission) =>
  (_req: Request, res: Response, next: NextFunction): void => {
    if (mayStaff(staffOf(res), permission)) return next()
    const roles = rolesWith(permission).join(' or ')
    sendNotice(res, 403, 'Not allowed', `Your role does not allow this. Ask an admin for the role ${roles}.`)
  }

/**
 * Serves a page that lists, counts or searches documents, subject to the concurrency limits for lists. Each member of
 * staff gets a share of the slots, just as each business does.
 */
export const limited =
  (deps: Deps) =>
  <Params>(page: (deps: Deps) => (req: Request<Params>, res: Response) => Promise<void>) =>
  (req: Request<Params>, res: Response): Promise<void> =>
    deps.lists.run(`staff ${staffOf(res).name}`, (models) => page({ ...deps, ...models })(req, res))
