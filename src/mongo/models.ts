import type { Connection } from 'mongoose'
import { type ActivityCount, activityCounts } from '../activity/activity-count.ts'
import { type ActivityEntry, activityEntries } from '../activity/activity-entry.ts'
import { type ActivityHour, activityHours } from '../activity/activity-hour.ts'
import { type AuditEvent, auditEvents } from '../audit/audit-event.ts'
import {
  type AuditCheck,
  type AuditKey,
  auditChecks,
  auditKeys,
  auditSeals,
  type Seal,
} from '../audit/seals/seal.ts'
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

export type Models = ReturnType<typeof openModels>

/**
 * Returns the models of all collections on one connection. If `maxTimeMs` is given, MongoDB aborts each query after
 * that time.
 */
export const openModels = (mongo: Connection, maxTimeMs?: number) => ({
  Business: openCollection<Business>(mongo, businesses, maxTimeMs),
  ApiKey: openCollection<ApiKey>(mongo, apiKeys, maxTimeMs),
  Setting: openCollection<Setting>(mongo, settings, maxTimeMs),
  Intent: openCollection<Intent>(mongo, intents, maxTimeMs),
  ShortCode: openCollection<ShortCode>(mongo, shortCodes, maxTimeMs),
  Endpoint: openCollection<Endpoint>(mongo, endpoints, maxTimeMs),
  Delivery: openCollection<Delivery>(mongo, deliveries, maxTimeMs),
  Replay: openCollection<Replay>(mongo, replays, maxTimeMs),
  RetryPlan: openCollection<RetryPlan>(mongo, retryPlans, maxTimeMs),
  LoggedEvent: openCollection<LoggedEvent>(mongo, loggedEvents, maxTimeMs),
  LedgerEntry: openCollection<LedgerEntry>(mongo, ledgerEntries, maxTimeMs),
  ActivityEntry: openCollection<ActivityEntry>(mongo, activityEntries, maxTimeMs),
  ActivityHour: openCollection<ActivityHour>(mongo, activityHours, maxTimeMs),
  ActivityCount: openCollection<ActivityCount>(mongo, activityCounts, maxTimeMs),
  Claim: openCollection<Claim>(mongo, claims, maxTimeMs),
  Staff: openCollection<Staff>(mongo, staffAccounts, maxTimeMs),
  StaffSession: openCollection<StaffSession>(mongo, staffSessions, maxTimeMs),
  AuditEvent: openCollection<AuditEvent>(mongo, auditEvents, maxTimeMs),
  AuditSeal: openCollection<Seal>(mongo, auditSeals, maxTimeMs),
  AuditKey: openCollection<AuditKey>(mongo, auditKeys, maxTimeMs),
  AuditCheck: openCollection<AuditCheck>(mongo, auditChecks, maxTimeMs),
  WalletAccount: openCollection<WalletAccount>(mongo, walletAccounts, maxTimeMs),
  WalletMovement: openCollection<WalletMovement>(mongo, walletMovements, maxTimeMs),
  Shop: openCollection<Shop>(mongo, shops, maxTimeMs),
  Product: openCollection<Product>(mongo, products, maxTimeMs),
  ImportPlan: openCollection<ImportPlan>(mongo, importPlans, maxTimeMs),
  Order: openCollection<Order>(mongo, orders, maxTimeMs),
  Reconciliation: openCollection<Reconciliation>(mongo, reconciliations, maxTimeMs),
  RetentionRecord: openCollection<RetentionRecord>(mongo, retentionRecords, maxTimeMs),
  RetentionProgress: openCollection<RetentionProgress>(mongo, retentionProgress, maxTimeMs),
})
