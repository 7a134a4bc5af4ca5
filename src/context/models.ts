import type { Connection } from 'mongoose'
import { type AuditEvent, auditEvents } from '../audit/audit-event.ts'
import { type ApiKey, apiKeys } from '../businesses/api-key.ts'
import { type Setting, settings } from '../businesses/api-switch.ts'
import { type Business, businesses } from '../businesses/business.ts'
import { type LoggedEvent, loggedEvents } from '../events/logged-event.ts'
import { responses, type StoredResponse } from '../idempotency/response.ts'
import { type Intent, intents } from '../intents/intent.ts'
import { type LedgerEntry, ledgerEntries } from '../ledger/entry.ts'
import { type Counter, counters } from '../limits/counter.ts'
import { type ListCheckpoints, listCheckpoints } from '../lists/checkpoint.ts'
import { type Collection, openCollection } from '../mongo/collection.ts'
import { type Reconciliation, reconciliations } from '../reconciliation/reconciliation.ts'
import { type Replay, replays } from '../replays/replay.ts'
import { type RetentionProgress, retentionProgress } from '../retention/progress.ts'
import { type RetentionRecord, retentionRecords } from '../retention/record.ts'
import { type ServiceKey, serviceKeys } from '../security/service-keys.ts'
import { type Staff, staffAccounts } from '../staff/account.ts'
import { type StaffSession, staffSessions } from '../staff/session.ts'
import { type Order, orders } from '../store/orders/order.ts'
import { type Product, products } from '../store/products/product.ts'
import { type Shop, shops } from '../store/shops/shop.ts'
import { type AuditCheck, auditChecks, auditSeals, type Seal } from '../verification/seal.ts'
import { type WalletAccount, walletAccounts } from '../wallets/sandbox/account.ts'
import { type WalletMovement, walletMovements } from '../wallets/sandbox/movement.ts'
import { type Delivery, deliveries } from '../webhooks/deliveries/delivery.ts'
import { type RequeuePlan, requeuePlans } from '../webhooks/deliveries/requeue-plan.ts'
import { type Endpoint, endpoints } from '../webhooks/endpoints/endpoint.ts'

/** A collection, and how to open its model on a connection. */
const stored = <Doc>(collection: Collection) => ({
  collection,
  open: (mongo: Connection, maxTimeMs: number | undefined) => openCollection<Doc>(mongo, collection, maxTimeMs),
})

const models = {
  Business: stored<Business>(businesses),
  ApiKey: stored<ApiKey>(apiKeys),
  Setting: stored<Setting>(settings),
  ServiceKey: stored<ServiceKey>(serviceKeys),
  Intent: stored<Intent>(intents),
  Endpoint: stored<Endpoint>(endpoints),
  Delivery: stored<Delivery>(deliveries),
  Replay: stored<Replay>(replays),
  RequeuePlan: stored<RequeuePlan>(requeuePlans),
  LoggedEvent: stored<LoggedEvent>(loggedEvents),
  LedgerEntry: stored<LedgerEntry>(ledgerEntries),
  StoredResponse: stored<StoredResponse>(responses),
  Counter: stored<Counter>(counters),
  Staff: stored<Staff>(staffAccounts),
  StaffSession: stored<StaffSession>(staffSessions),
  AuditEvent: stored<AuditEvent>(auditEvents),
  AuditSeal: stored<Seal>(auditSeals),
  AuditCheck: stored<AuditCheck>(auditChecks),
  WalletAccount: stored<WalletAccount>(walletAccounts),
  WalletMovement: stored<WalletMovement>(walletMovements),
  Shop: stored<Shop>(shops),
  Product: stored<Product>(products),
  Order: stored<Order>(orders),
  Reconciliation: stored<Reconciliation>(reconciliations),
  ListCheckpoints: stored<ListCheckpoints>(listCheckpoints),
  RetentionRecord: stored<RetentionRecord>(retentionRecords),
  RetentionProgress: stored<RetentionProgress>(retentionProgress),
}

/** All collections of the service. Their indexes are created in src/context/indexes.ts. */
export const collections: readonly Collection[] = Object.values(models).map(({ collection }) => collection)

export type Models = { [Name in keyof typeof models]: ReturnType<(typeof models)[Name]['open']> }

/**
 * Returns the models of all collections on one connection. If `maxTimeMs` is given, MongoDB aborts each query after
 * that time. Each model is made when it is first used, because making all takes 40 ms.
 */
export function openModels(mongo: Connection, maxTimeMs?: number): Models {
  const properties = Object.entries(models).map(([name, { open }]) => {
    let made: unknown
    const get = () => (made ??= open(mongo, maxTimeMs))
    const set = (replacement: unknown) => void (made = replacement)
    return [name, { get, set, enumerable: true }] as const
  })
  return Object.defineProperties({}, Object.fromEntries(properties)) as Models
}

/** Adds the models to an object. Spreading them instead would make them all. */
export const withModels = <T extends object>(opened: Models, others: T): Models & T =>
  Object.defineProperties(others, Object.getOwnPropertyDescriptors(opened)) as Models & T
