import { type Act, otherActs } from '../audit/acts.ts'
import { accountActs, staffListActs } from './account-acts.ts'
import { businessActs } from './business-acts.ts'
import { keyActs } from './key-acts.ts'

/** Actions that are available both on pages and on the command line. */
export const actGroups = [businessActs, keyActs, staffListActs, accountActs] as const

const inTable: readonly Act[] = actGroups.flatMap(({ acts }) =>
  Object.values(acts).flatMap(({ audit }) => audit),
)

export const auditedActs: readonly Act[] = [...new Set([...inTable, ...otherActs])].toSorted()
