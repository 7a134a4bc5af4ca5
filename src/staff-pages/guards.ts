import type { NextFunction, Request, Response } from 'express'
import { type AccountSite, checkCsrf } from '../account-pages/site.ts'
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

const refusals = {
  'other-site': 'This request did not come from a page on this site. Reload the page and try again.',
  'other-session': 'This form belongs to another session. Go back, reload the page and try again.',
}

export const refuseForm: AccountSite['refuse'] = (res, why) =>
  sendNoticePage(res, 403, 'Refused', refusals[why])

export const checkStaffCsrf = checkCsrf({ refuse: refuseForm })

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
