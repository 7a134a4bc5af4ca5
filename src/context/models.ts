import type { Connection, Model } from 'mongoose'
import { auditEvents } from '../audit/audit-event.ts'
import { apiKeys } from '../businesses/api-key.ts'
import { serviceSettings } from '../businesses/api-switch.ts'
import { businesses } from '../businesses/business.ts'
import { loggedEvents } from '../events/log.ts'
import { responseCollection } from '../idempotency/request.ts'
import { intents } from '../intents/intent.ts'
import { ledgerEntries } from '../ledger/entry.ts'
import { counters } from '../limits/counter.ts'
import { storedCheckpoints } from '../lists/counts.ts'
import { migrations, runSteps } from '../migrations/run.ts'
import { openModel } from '../mongo/collection.ts'
import { connectMongo, type MongoAddress } from '../mongo/connect.ts'
import { noClockShift, openDatabaseTime } from '../mongo/database-time.ts'
import type { CollectionDeclaration, Stored } from '../mongo/declare.ts'
import { invitations, people, peopleSessions } from '../people/person.ts'
import type { Models } from '../platform/deps.ts'
import type { Log } from '../platform/log.ts'
import { reconciliations } from '../reconciliation/reconciliation.ts'
import { replays } from '../replays/replay.ts'
import { retentionProgress, retentionRecords } from '../retention/record.ts'
import { serviceKeys } from '../security/service-keys.ts'
import { staffAccounts, staffSessions } from '../staff/account.ts'
import { orders } from '../store/orders/order.ts'
import { products } from '../store/products/product.ts'
import { shops } from '../store/shops/shop.ts'
import { auditChecks, auditSeals, checkLeases } from '../verification/seal.ts'
import { walletAccounts, walletMovements } from '../wallets/sandbox/account.ts'
import { deliveries } from '../webhooks/deliveries/delivery.ts'
import { requeuePlans } from '../webhooks/deliveries/requeue-plan.ts'
import { endpoints } from '../webhooks/endpoints/endpoint.ts'
import { noticeRuns, notices } from '../webhooks/endpoints/notices.ts'

const byModel = {
  Business: businesses,
  ApiKey: apiKeys,
  Setting: serviceSettings,
  ServiceKey: serviceKeys,
  Intent: intents,
  Endpoint: endpoints,
  Notice: notices,
  NoticeRun: noticeRuns,
  Delivery: deliveries,
  Replay: replays,
  RequeuePlan: requeuePlans,
  LoggedEvent: loggedEvents,
  LedgerEntry: ledgerEntries,
  StoredResponse: responseCollection,
  Counter: counters,
  Staff: staffAccounts,
  StaffSession: staffSessions,
  Person: people,
  PersonSession: peopleSessions,
  Invitation: invitations,
  AuditEvent: auditEvents,
  AuditSeal: auditSeals,
  AuditCheck: auditChecks,
  CheckLease: checkLeases,
  WalletAccount: walletAccounts,
  WalletMovement: walletMovements,
  Shop: shops,
  Product: products,
  Order: orders,
  Reconciliation: reconciliations,
  ListCheckpoints: storedCheckpoints,
  RetentionRecord: retentionRecords,
  RetentionProgress: retentionProgress,
  Migration: migrations,
} as const

export type ModelsByName = { [Name in keyof typeof byModel]: Model<Stored<(typeof byModel)[Name]>> }

export const collectionDeclarations: readonly CollectionDeclaration[] = Object.values(byModel)

/** Creating all models takes 40 ms, so each is created on first use. */
export function openModels(mongo: Connection, maxTimeMs?: number): Models {
  const properties = Object.entries(byModel).map(([name, collection]) => {
    let made: unknown
    const get = () => (made ??= openModel(mongo, collection, maxTimeMs))
    const set = (replacement: unknown) => void (made = replacement)
    return [name, { get, set, enumerable: true }] as const
  })
  return Object.defineProperties({}, Object.fromEntries(properties)) as Models
}

export const addModels = <T extends object>(opened: Models, others: T): Models & T =>
  Object.defineProperties(others, Object.getOwnPropertyDescriptors(opened)) as Models & T

/** Building an index can take minutes, so this has no timeout. */
export async function updateDatabase(address: MongoAddress, log: Log): Promise<void> {
  const mongo = await connectMongo(address, log, { socketTimeoutMS: 0 })
  try {
    for (const collection of collectionDeclarations) await make(mongo, collection)
    log.info({ collections: collectionDeclarations.map(({ name }) => name) }, 'indexes.created')
    const { now, close } = await openDatabaseTime(mongo, log, noClockShift)
    await runSteps(addModels(openModels(mongo), { now, log })).finally(close)
  } finally {
    await mongo.destroy()
  }
}

async function make(mongo: Connection, { name, indexes }: CollectionDeclaration): Promise<void> {
  await mongo.createCollection(name).catch((error: { codeName?: string }) => {
    if (error.codeName !== 'NamespaceExists') throw error
  })
  if (indexes.length > 0) await mongo.collection(name).createIndexes([...indexes])
}
