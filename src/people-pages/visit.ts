import { hash } from 'node:crypto'
import type { NextFunction, Request, Response } from 'express'
import type { SignedIn } from '../accounts/sessions.ts'
import type { Caller } from '../businesses/caller.ts'
import { readFor, writeFor } from '../http/operations/run-for.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import type { ReadId, Shown, WriteId } from '../http/routes/routes.ts'
import { callerOf, findMember, type Member, type RightName, refusalOf } from '../people/rights.ts'
import type { Deps } from '../platform/deps.ts'

/** The till or the portal. */
export interface Area {
  /** The first part of its paths, e.g. `/till`. */
  path: string
  /** Links to the pages that this member may open, in the order shown. */
  navigation(visit: Visit): { path: string; text: string }[]
  /** HTML above the pages, e.g. a warning. */
  banners?(visit: Visit): Promise<string>
}

/** One request of someone who has a role in the business. */
export interface Visit {
  req: Request
  res: Response
  deps: Deps
  member: Member
  /** Runs the API's operations for this person (http/operations/run-for.ts). */
  caller: Caller
  area: Area
  /** Pages of this business and environment start with it, e.g. `/till/BUSINESS/test`. */
  base: string
}

export const pathIn = ({ business, sandbox }: Pick<Member, 'business' | 'sandbox'>, area: string): string =>
  `${area}/${business._id}/${sandbox ? 'test' : 'live'}`

const modes = { test: true, live: false } as const

export const signedInPerson = (res: Response) =>
  res.locals.signedIn as (SignedIn & { account: object }) | undefined

/** Businesses in which the person has no role seem not to exist. */
export const loadVisit =
  (deps: Deps, area: Area) =>
  async (req: Request<{ businessId: string; mode: string }>, res: Response, next: NextFunction) => {
    const { businessId, mode } = req.params
    const person = signedInPerson(res)
    if (person === undefined || !Object.hasOwn(modes, mode)) return next('router')
    const sandbox = modes[mode as keyof typeof modes]
    const member = await pageDeadline(res).run(() => findMember(deps, person, { businessId, sandbox }))
    if (member === null) return next('router')
    const caller = callerOf(member, req.ip ?? '')
    const base = pathIn(member, area.path)
    res.locals.visit = { req, res, deps, member, caller, area, base } satisfies Visit
    next()
  }

/** An idempotency key: the same form, submitted twice, acts once. */
export const formKey = ({ caller, member }: Visit, form: string, ...values: readonly unknown[]): string =>
  hash(
    'sha256',
    JSON.stringify([caller.businessId, caller.sandbox, member.person.id, form, ...values]),
    'base64url',
  )

/** For links and buttons: whether the member's role has this right. */
export const hasRight = ({ member, deps }: Visit, name: RightName): boolean => {
  const refusal = refusalOf(name, member, deps.now())
  return refusal === null || refusal === 'step-up' || refusal === 'second-factor'
}

type ReadInput = Parameters<typeof readFor>[4]

/** Runs an operation of the API. The data is what the API's clients get. */
export const readShown = async <Id extends ReadId>(
  { deps, res, caller }: Visit,
  operation: Id,
  input?: ReadInput,
): Promise<Shown<Id>> => (await readFor<Shown<Id>>(deps, res, caller, operation, input)).data

/** A repeated key repeats the first response. */
export const writeShown = async <Data>(
  { deps, res, caller }: Visit,
  operation: WriteId,
  input: Parameters<typeof writeFor>[4],
): Promise<Data> => (await writeFor<Data>(deps, res, caller, operation, input)).data
