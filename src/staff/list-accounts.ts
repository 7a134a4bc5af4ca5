import type { Deps } from '../deps.ts'
import { given, type IdPage, type IdSlice, mapPage, orders, readIdPage } from '../mongo/id-page.ts'
import type { Staff } from './account.ts'

/** Selects staff accounts. Omitted fields do not restrict the selection. */
export interface AccountFilter extends Partial<Pick<Staff, 'role'>> {
  disabled?: boolean
}

/** The facts about a staff account. They contain neither secrets nor hashes. */
export interface AccountFacts extends Pick<Staff, 'role' | 'disabledAt' | 'createdAt' | 'passwordChangedAt'> {
  name: string
  secondFactor: boolean
}

/** Returns the accounts that match, sorted by name. */
export async function listAccounts(
  deps: Pick<Deps, 'Staff'>,
  { disabled, ...filter }: AccountFilter,
  slice: IdSlice,
): Promise<IdPage<AccountFacts>> {
  const state = disabled === undefined ? {} : { disabledAt: disabled ? { $type: 'date' } : null }
  const where = { ...given(filter), ...state }
  return mapPage(await readIdPage(deps.Staff, where, slice, orders.byName), accountFacts)
}

/** Returns an account, or null if there is no account with this name. */
export async function lookUpAccount(deps: Pick<Deps, 'Staff'>, name: string): Promise<AccountFacts | null> {
  const staff = await deps.Staff.findOne({ _id: name }).lean<Staff | null>()
  return staff === null ? null : accountFacts(staff)
}

const accountFacts = ({ _id: name, secondFactor, ...staff }: Staff): AccountFacts => ({
  name,
  role: staff.role,
  secondFactor: secondFactor !== null,
  disabledAt: staff.disabledAt,
  createdAt: staff.createdAt,
  passwordChangedAt: staff.passwordChangedAt,
})
