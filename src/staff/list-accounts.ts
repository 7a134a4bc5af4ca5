import { type IdPageRequest, mapIdPage, readPageById } from '../mongo/id-page.ts'
import type { Deps } from '../platform/deps.ts'
import { omitUndefined } from '../platform/without-undefined.ts'
import type { Staff } from './account.ts'

export type AccountFilter = Partial<Pick<Staff, 'role'>> & { disabled?: boolean }

export interface AccountFacts extends Pick<Staff, 'role' | 'disabledAt' | 'createdAt' | 'passwordChangedAt'> {
  name: string
  secondFactor: boolean
  linkExpiresAt: Date | null
}

type FactsDeps = Pick<Deps, 'Staff' | 'now'>

export async function listAccounts(
  deps: FactsDeps,
  { disabled, ...filter }: AccountFilter,
  slice: IdPageRequest,
) {
  const state = disabled === undefined ? {} : { disabledAt: disabled ? { $type: 'date' } : null }
  const where = { ...omitUndefined(filter), ...state }
  const page = await readPageById(deps.Staff, where, slice, { byName: true })
  return mapIdPage(page, (staff) => accountFacts(staff, deps.now()))
}

export async function lookUpAccount(deps: FactsDeps, name: string): Promise<AccountFacts | null> {
  const staff = await deps.Staff.findOne({ _id: name }).lean<Staff | null>()
  return staff === null ? null : accountFacts(staff, deps.now())
}

function accountFacts({ link, ...staff }: Staff, now: Date): AccountFacts {
  const { _id: name, role, disabledAt, createdAt, passwordChangedAt } = staff
  const secondFactor = staff.secondFactor !== null
  const linkExpiresAt = link !== null && link.expiresAt > now ? link.expiresAt : null
  return { name, role, secondFactor, disabledAt, createdAt, passwordChangedAt, linkExpiresAt }
}
