import type { NextFunction, Request, Response } from 'express'
import { isFromOwnSite, isSafeMethod } from '../http/pages/own-origin.ts'
import type { Deps } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import { mayStaff, type Permission, rolesWith } from '../staff/permissions.ts'
import { isOwnForm, type SignedIn } from '../staff/staff-sessions.ts'
import { type PageContent, sendNotFound, sendNotice, sendStaffPage, staffOf } from './layout.ts'

/** Returns the signed-in member of staff as the audit trail's actor. */
export const byStaff = (req: Pick<Request, 'ip'>, res: Response, reason: string | null): By => ({
  actor: { kind: 'staff', name: staffOf(res).name, from: req.ip ?? null },
  reason,
  expectValid: staffOf(res).expectValid,
})

/** Covers everything under /admin, including Bull Board, whose requests contain no CSRF token. */
export const requireOwnOrigin =
  (publicUrl: string) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (isSafeMethod(req) || isFromOwnSite(req, publicUrl)) return next()
    sendRefusal(res, 'This request did not come from a page of this site. Reload the page and try again.')
  }

export function checkCsrf(req: Request, res: Response, next: NextFunction): void {
  if (isOwnForm(staffOf(res), csrfOf(req))) return next()
  refuseForeignForm(res)
}

export const csrfOf = (req: Request): unknown => ((req.body ?? {}) as { csrf?: unknown }).csrf

export const refuseForeignForm = (res: Response): void =>
  sendRefusal(res, 'This form belongs to another session. Go back, reload the page and try again.')

const sendRefusal = (res: Response, sentence: string): void => sendNotice(res, 403, 'Refused', sentence)

export const requirePermission =
  (permission: Permission) =>
  (_req: Request, res: Response, next: NextFunction): void => {
    if (mayStaff(staffOf(res), permission)) return next()
    const roles = rolesWith(permission).join(' or ')
    sendNotice(
      res,
      403,
      'Not allowed',
      `Your role does not allow this. Ask an admin to give you the ${roles} role.`,
    )
  }

/** `id` comes from the page's path. It's empty if the path has none. */
export interface PageVisit {
  id: string
  query: Readonly<Record<string, unknown>>
  staff: SignedIn
}

/** Resolves to null if the page doesn't exist. */
export type StaffPage<Needs extends keyof Deps = keyof Deps> = (
  deps: Pick<Deps, Needs>,
  visit: PageVisit,
) => Promise<PageContent | null>

export const idIn = ({ params }: Pick<Request, 'params'>): string => String(Object.values(params)[0] ?? '')

/** Serves a page within the concurrency limits for lists. */
export const serveStaffPage = (deps: Deps, page: StaffPage) =>
  withStaffListSlot(deps, async (reading, req, res) => {
    const content = await page(reading, { id: idIn(req), query: req.query, staff: staffOf(res) })
    return content === null ? sendNotFound(res) : sendStaffPage(res, content)
  })

/** Each member of staff gets a share of the slots for lists, just as each business does. */
export const withStaffListSlot =
  (deps: Deps, handle: (reading: Deps, req: Request, res: Response) => Promise<void>) =>
  (req: Request, res: Response): Promise<void> =>
    deps.lists.run(`staff ${staffOf(res).name}`, (models) => handle({ ...deps, ...models }, req, res))
