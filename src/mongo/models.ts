import type { Connection, Model } from 'mongoose'
import { type ActivityCount, activityCounts } from '../activity/activity-count.ts'
import { type ActivityEntry, activityEntries } from '../activity/activity-entry.ts'
import { type ActivityHour, activityHours } from '../activity/activity-hour.ts'
import { type AuditEvent, auditEvents } from '../audit/audit-event.ts'
import { type AuditCheck, type AuditKey, auditChecks, auditKeys, auditSeals, type Seal } from '../audit/seals/seal.ts'
import { type ApiKey, apiKeys } from '../businesses/api-key.ts'
import { type Setting, settings } from '../businesses/api-switch.ts'
import { type Business, businesses } from '../businesses/business.ts'
import { type LoggedEvent, loggedEvents } from '../events/logged-event.ts'
import { type Claim, claims } from '../idempotency/claim.ts'
import { type Intent, intents } from '../intents/intent.ts'
import { type ShortCode, shortCodes } from '../intents/short-codes.ts'
import { type LedgerEntry, ledgerEntries } from '../ledger/entry.ts'
import { type Reconciliation, reconciliations } from '../reconciliation/reconciliation.ts'
import { type RetentionProgress, retentionProgress } from '../retention/progress.ts'
import { type RetentionRecord, retentionRecords } from '../retention/record.ts'
import { checkoutAttempts, signInAttempts } from '../security/failed-attempts/collections.ts'
import { type Staff, staffAccounts } from '../staff/account.ts'
import { type StaffSession, staffSessions } from '../staff/session.ts'
import { type ImportPlan, importPlans } from '../store/imports/plan/plan.ts'
import { type Order, orders } from '../store/orders/order.ts'
import { type Product, products } from '../store/products/product.ts'
import { type Shop, shops } from '../store/shops/shop.ts'
import { type WalletAccount, walletAccounts } from '../wallets/sandbox/account.ts'
import { type WalletMovement, walletMovements } from '../wallets/sandbox/movement.ts'
import { type Delivery, deliveries } from '../webhooks/deliveries/delivery.ts'
import { type RetryPlan, retryPlans } from '../webhooks/deliveries/retry-plan.ts'
import { type Endpoint, endpoints } from '../webhooks/endpoints/endpoint.ts'
import { type Replay, replays } from '../webhooks/replays/replay.ts'
import { type Collection, openCollection } from './collection.ts'

/** All collections of the service. Their indexes are created in src/mongo/indexes.ts. */
export const collections: readonly Collection[] = [
  businesses,
  apiKeys,
  settings,
  intents,
  shortCodes,
  endpoints,
  deliveries,
  replays,
  retryPlans,
  loggedEvents,
  ledgerEntries,
  activityEntries,
  activityHours,
  activityCounts,
  claims,
  staffAccounts,
  staffSessions,
  signInAttempts,
  checkoutAttempts,
  auditEvents,
  auditSeals,
  auditKeys,
  auditChecks,
  walletAccounts,
  walletMovements,
  shops,
  products,
  importPlans,
  orders,
  reconciliations,
  retentionRecords,
  retentionProgress,
]

export interface Models {
  Business: Model<Business>
  ApiKey: Model<ApiKey>
  Setting: Model<Setting>
  Intent: Model<Intent>
  ShortCode: Model<ShortCode>
  Endpoint: Model<Endpoint>
  Delivery: Model<Delivery>
  Replay: Model<Replay>
  RetryPlan: Model<RetryPlan>
  LoggedEvent: Model<LoggedEvent>
  LedgerEntry: Model<LedgerEntry>
  ActivityEntry: Model<ActivityEntry>
  ActivityHour: Model<ActivityHour>
  ActivityCount: Model<ActivityCount>
  Claim: Model<Claim>
  Staff: Model<Staff>
  StaffSession: Model<StaffSession>
  AuditEvent: Model<AuditEvent>
  AuditSeal: Model<Seal>
  AuditKey: Model<AuditKey>
  AuditCheck: Model<AuditCheck>
  WalletAccount: Model<WalletAccount>
  WalletMovement: Model<WalletMovement>
  Shop: Model<Shop>
  Product: Model<Product>
  ImportPlan: Model<ImportPlan>
  Order: Model<Order>
  Reconciliation: Model<Reconciliation>
  RetentionRecord: Model<RetentionRecord>
  RetentionProgress: Model<RetentionProgress>
}

const collectionOf: Readonly<Record<keyof Models, Collection>> = {
  Business: businesses,
  ApiKey: apiKeys,
  Setting: settings,
  Intent: intents,
  ShortCode: shortCodes,
  Endpoint: endpoints,
  Delivery: deliveries,
  Replay: replays,
  RetryPlan: retryPlans,
  LoggedEvent: loggedEvents,
  LedgerEntry: ledgerEntries,
  ActivityEntry: activityEntries,
  ActivityHour: activityHours,
  ActivityCount: activityCounts,
  Claim: claims,
  Staff: staffAccounts,
  StaffSession: staffSessions,
  AuditEvent: auditEvents,
  AuditSeal: auditSeals,
  AuditKey: auditKeys,
  AuditCheck: auditChecks,
  WalletAccount: walletAccounts,
  WalletMovement: walletMovements,
  Shop: shops,
  Product: products,
  ImportPlan: importPlans,
  Order: orders,
  Reconciliation: reconciliations,
  RetentionRecord: retentionRecords,
  RetentionProgress: retentionProgress,
}

/**
 * Returns the models of all collections on one connection. If `maxTimeMs` is given, MongoDB aborts each query after
 * that time. Each model is made when it is first used, because making all takes 40 ms.
 */
export function openModels(mongo: Connection, maxTimeMs?: number): Models {
  const models = Object.entries(collectionOf).map(([name, collection]) => {
    let made: Model<unknown> | undefined
    const get = () => (made ??= openCollection(mongo, collection, maxTimeMs))
    const set = (replacement: Model<unknown>) => void (made = replacement)
    return [name, { get, set, enumerable: true }] as const
  })
  return Object.defineProperties({}, Object.fromEntries(models)) as unknown as Models
}

/** Adds the models to an object. Spreading them instead would make them all. */
export const withModels = <T extends object>(models: Models, others: T): Models & T =>
  Object.defineProperties(others, Object.getOwnPropertyDescriptors(models)) as Models & T
