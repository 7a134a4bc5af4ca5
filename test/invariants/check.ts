import { deliveriesComplete, deliveryOfEvent, deliveryState } from './deliveries.ts'
import { type Documents, noDocuments } from './documents.ts'
import { eventLog, eventsOnce } from './events.ts'
import { intentStatus, refundsBounded } from './intents.ts'
import { ledgerChain, ledgerEntries } from './ledger.ts'
import { claimsEnd, owned } from './ownership.ts'
import { orderTotals, stockConserved } from './store.ts'
import { walletBalances, walletMovements } from './wallets.ts'

export type Invariant = keyof typeof invariants
export type Violation = { invariant: Invariant; what: string; id: string; crashed?: true }
export type Findings = Iterable<[id: string, what: string]>

export interface Stored extends Documents {
  [collection: string]: { _id: unknown }[]
}

export interface Circumstances {
  /** Test documents created before this may have been removed by the clean-up. */
  cleanedBefore: number
  isCleaned: boolean
  lateMs: number
  openingStock: ReadonlyMap<string, number>
  /** Products whose stock the merchant may have changed. */
  restocked: ReadonlySet<string>
}

/** Returns what is wrong. `stored` may come from a running service, and must not be changed. */
export type Check = (stored: Stored, circumstances: Circumstances) => Findings

/** True between any two writes. Unfinished work is no violation. */
const invariants = {
  'documents owned': owned,
  'claims end': claimsEnd,
  'intent status': intentStatus,
  'refunds bounded': refundsBounded,
  'events once': eventsOnce,
  'event log': eventLog,
  'delivery of event': deliveryOfEvent,
  'deliveries complete': deliveriesComplete,
  'delivery state': deliveryState,
  'ledger chain': ledgerChain,
  'ledger entries': ledgerEntries,
  'wallet movements': walletMovements,
  'wallet balances': walletBalances,
  'order totals': orderTotals,
  'stock conserved': stockConserved,
} as const satisfies Record<string, Check>

export const violations = (documents: Partial<Documents>, circumstances: Partial<Circumstances> = {}) => {
  const known = { ...noDocuments, ...documents } as unknown as Stored
  const usual: Circumstances = {
    cleanedBefore: Number.NEGATIVE_INFINITY,
    isCleaned: false,
    lateMs: 0,
    openingStock: new Map(),
    restocked: new Set(),
    ...circumstances,
  }
  return Object.entries<Check>(invariants).flatMap(([name, check]): Violation | Violation[] => {
    const invariant = name as Invariant
    try {
      return [...check(known, usual)].map(([id, what]) => ({ invariant, what, id }))
    } catch (error) {
      return { invariant, what: `${(error as Error).stack}`, id: 'the documents', crashed: true }
    }
  })
}
