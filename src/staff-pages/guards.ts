import type { NextFunction, Request, Response } from 'express'
import { hasValidCsrf } from '../accounts/sessions.ts'
import { isFromOwnSite, isSafeMethod } from '../http/pages/own-origin.ts'
import type { Deps } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission, rolesWith, type StaffPermission } from '../staff/permissions.ts'
import { currentStaff, type PageContent, sendNotFound, sendNoticePage, sendStaffPage } from './layout.ts'

export const staffAsActor = (req: Pick<Request, 'ip'>, res: Response, reason: string | null): Author => ({
  actor: { kind: 'staff', name: currentStaff(res).name, from: req.ip ?? null },
  reason,
  expectValid: currentStaff(res).expectValid,
})

/** Also covers Bull Board, whose requests contain no CSRF token. */
export const requireOwnOrigin = (publicUrl: string) => (req: Request, res: Response, next: NextFunction) => {
  if (isSafeMethod(req) || isFromOwnSite(req, publicUrl)) return next()
  sendRefusal(res, 'This request did not come from a page on this site. Reload the page and try again.')
}

export function checkCsrf(req: Request, res: Response, next: NextFunction): void {
  if (hasValidCsrf(currentStaff(res), readCsrfToken(req))) return next()
  refuseCrossSiteForm(res)
}

export const readCsrfToken = (req: Request): unknown => ((req.body ?? {}) as { csrf?: unknown }).csrf

export const refuseCrossSiteForm = (res: Response): void =>
  sendRefusal(res, 'This form belongs to another session. Go back, reload the page and try again.')

const sendRefusal = (res: Response, sentence: string) => sendNoticePage(res, 403, 'Refused', sentence)

export const requirePermission =
  (permission: StaffPermission) => (_req: Request, res: Response, next: NextFunction) => {
    if (hasPermission(currentStaff(res), permission)) return next()
    const roles = rolesWith(permission).join(' or ')
    const sentence = `Your role does not allow this. Ask an admin for the ${roles} role.`
    sendNoticePage(res, 403, 'Not allowed', sentence)
  }

/** `id` comes from the page's path. It's empty if the path has none. */
export interface PageVisit {
  id: string
  query: Readonly<Record<string, unknown>>
  staff: SignedInStaff
}

/** Resolves to null if the page doesn't exist. */
export type StaffPage<Needs extends keyof Deps = keyof Deps> = (
  deps: Pick<Deps, Needs>,
  visit: PageVisit,
) => Promise<PageContent | null>

export const readPathId = ({ params }: Pick<Request, 'params'>): string =>
  String(Object.values(params)[0] ?? '')

export const serveStaffPage = (deps: Deps, page: StaffPage) =>
  withStaffListSlot(deps, async (reading, req, res) => {
    const content = await page(reading, { id: readPathId(req), query: req.query, staff: currentStaff(res) })
    return content === null ? sendNotFound(res) : sendStaffPage(res, content)
  })

/** Each member of staff gets as many slots for lists as a business does. */
export const withStaffListSlot =
  (deps: Deps, handle: (reading: Deps, req: Request, res: Response) => Promise<void>) =>
  (req: Request, res: Response) =>
    deps.lists.run(`staff ${currentStaff(res).name}`, (models) => handle({ ...deps, ...models }, req, res))
