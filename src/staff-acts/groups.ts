import { type AuditAction, actsWithoutPage } from '../audit/acts.ts'
import { accountActions, staffListActions } from './account-acts.ts'
import { businessActions } from './business-acts.ts'
import { apiKeyActions } from './key-acts.ts'
import { personActions, personListActions } from './person-acts.ts'

export const staffActionGroups = [
  businessActions,
  apiKeyActions,
  personListActions,
  personActions,
  staffListActions,
  accountActions,
] as const

const inTable: readonly AuditAction[] = staffActionGroups.flatMap(({ acts }) =>
  Object.values(acts).flatMap(({ audit }) => audit),
)

export const auditedActions: readonly AuditAction[] = [
  ...new Set([...inTable, ...actsWithoutPage]),
].toSorted()
