import type { Connection } from 'mongoose'
import { type ActivityCount, activityCounts } from '../activity/activity-count.ts'
import { type ActivityEntry, activityEntries } from '../activity/activity-entry.ts'
import { type ActivityHour, activityHours } from '../activity/activity-hour.ts'
import { type AuditEvent, auditEvents } from '../audit/audit-event.ts'
import { type AuditCheck, auditChecks, auditSeals, type Seal } from '../audit/seals/seal.ts'
import { type ApiKey, apiKeys } from '../businesses/api-key.ts'
import { type Setting, settings } from '../businesses/api-switch.ts'
import { type Business, businesses } from '../businesses/business.ts'
import { type LoggedEvent, loggedEvents } from '../events/logged-event.ts'
import { responses, type StoredResponse } from '../idempotency/response.ts'
import { type Intent, intents } from '../intents/intent.ts'
import { type LedgerEntry, ledgerEntries } from '../ledger/entry.ts'
import { type Reconciliation, reconciliations } from '../reconciliation/reconciliation.ts'
import { type RetentionProgress, retentionProgress } from '../retention/progress.ts'
import { type RetentionRecord, retentionRecords } from '../retention/record.ts'
import { checkoutAttempts, signInAttempts } from '../security/failed-attempts/collections.ts'
import { type ServiceKey, serviceKeys } from '../security/service-keys.ts'
import { type Staff, staffAccounts } from '../staff/account.ts'
import { type StaffSession, staffSessions } from '../staff/session.ts'
import { type Order, orders } from '../store/orders/order.ts'
import { type Product, products } from '../store/products/product.ts'
import { type Shop, shops } from '../store/shops/shop.ts'
import { type WalletAccount, walletAccounts } from '../wallets/sandbox/account.ts'
import { type WalletMovement, walletMovements } from '../wallets/sandbox/movement.ts'
import { type Delivery, deliveries } from '../webhooks/deliveries/delivery.ts'
import { type RequeuePlan, requeuePlans } from '../webhooks/deliveries/requeue-plan.ts'
import { type Endpoint, endpoints } from '../webhooks/endpoints/endpoint.ts'
import { type Replay, replays } from '../webhooks/replays/replay.ts'
import { type Collection, openCollection } from './collection.ts'

/** All collections of the service. Their indexes are created in src/mongo/indexes.ts. */
export const collections: readonly Collection[] = [
  businesses,
  apiKeys,
  settings,
  serviceKeys,
  intents,
  endpoints,
  deliveries,
  replays,
  requeuePlans,
  loggedEvents,
  ledgerEntries,
  activityEntries,
  activityHours,
  activityCounts,
  responses,
  staffAccounts,
  staffSessions,
  signInAttempts,
  checkoutAttempts,
  auditEvents,
  auditSeals,
  auditChecks,
  walletAccounts,
  walletMovements,
  shops,
  products,
  orders,
  reconciliations,
  retentionRecords,
  retentionProgress,
]

const open = (mongo: Connection, maxTimeMs: number | undefined) => {
  const model =
    <Doc>(collection: Collection) =>
    () =>
      openCollection<Doc>(mongo, collection, maxTimeMs)
  return {
    Business: model<Business>(businesses),
    ApiKey: model<ApiKey>(apiKeys),
    Setting: model<Setting>(settings),
    ServiceKey: model<ServiceKey>(serviceKeys),
    Intent: model<Intent>(intents),
    Endpoint: model<Endpoint>(endpoints),
    Delivery: model<Delivery>(deliveries),
    Replay: model<Replay>(replays),
    RequeuePlan: model<RequeuePlan>(requeuePlans),
    LoggedEvent: model<LoggedEvent>(loggedEvents),
    LedgerEntry: model<LedgerEntry>(ledgerEntries),
    ActivityEntry: model<ActivityEntry>(activityEntries),
    ActivityHour: model<ActivityHour>(activityHours),
    ActivityCount: model<ActivityCount>(activityCounts),
    StoredResponse: model<StoredResponse>(responses),
    Staff: model<Staff>(staffAccounts),
    StaffSession: model<StaffSession>(staffSessions),
    AuditEvent: model<AuditEvent>(auditEvents),
    AuditSeal: model<Seal>(auditSeals),
    AuditCheck: model<AuditCheck>(auditChecks),
    WalletAccount: model<WalletAccount>(walletAccounts),
    WalletMovement: model<WalletMovement>(walletMovements),
    Shop: model<Shop>(shops),
    Product: model<Product>(products),
    Order: model<Order>(orders),
    Reconciliation: model<Reconciliation>(reconciliations),
    RetentionRecord: model<RetentionRecord>(retentionRecords),
    RetentionProgress: model<RetentionProgress>(retentionProgress),
  }
}

export type Models = { [Name in keyof ReturnType<typeof open>]: ReturnType<ReturnType<typeof open>[Name]> }

/**
 * Returns the models of all collections on one connection. If `maxTimeMs` is given, MongoDB aborts each query after
 * that time. Each model is made when it is first used, because making all takes 40 ms.
 */
export function openModels(mongo: Connection, maxTimeMs?: number): Models {
  const models = Object.entries(open(mongo, maxTimeMs)).map(([name, make]) => {
    let made: unknown
    const get = () => (made ??= make())
    const set = (replacement: unknown) => void (made = replacement)
    return [name, { get, set, enumerable: true }] as const
  })
  return Object.defineProperties({}, Object.fromEntries(models)) as Models
}

/** Adds the models to an object. Spreading them instead would make them all. */
export const withModels = <T extends object>(models: Models, others: T): Models & T =>
  Object.defineProperties(others, Object.getOwnPropertyDescriptors(models)) as Models & T
