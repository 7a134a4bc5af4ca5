import { randomInt } from 'node:crypto'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId, newReferenceNumber } from '../../src/platform/ids.ts'
import { toUtcDay } from '../../src/platform/time.ts'
import { planReplay, startReplay } from '../../src/replays/start.ts'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent, freshDelivery, relay, subscribe } from '../support/actions.ts'
import { storeOrder } from '../support/orders.ts'
import { type Merchant, type Service, tester } from '../support/service.ts'
import { createProduct } from '../support/store.ts'

export type Side = { merchant: Merchant; sandbox: boolean }

/** For each kind of object that merchants own: the error if it's missing, an unused id, how to create and read it. */
export interface Kind {
  missing: string
  unknown: string
  make(service: Service, side: Side): Promise<string>
  stored(service: Service, businessIds: string[]): Promise<Stored[]>
}

export type Stored = { _id: string; businessId: string; sandbox: boolean }

const nowhere = 'http://127.0.0.1:9/hook'
export const kinds = {
  intent: {
    missing: 'INTENT_NOT_FOUND',
    unknown: 'PI-2222222222222222',
    make: async (service, { merchant }) => (await createIntent(service, merchant)).referenceNumber,
    stored: ({ deps }, ids) => deps.Intent.find({ businessId: { $in: ids } }).lean(),
  },
  booking: {
    missing: 'never missing',
    unknown: 'never unknown',
    // Its amount identifies it in every ledger view.
    make: async ({ deps, clock }, { merchant, sandbox }) => {
      const amount = 7_100_000 + randomInt(800_000)
      const day = toUtcDay(clock.now())
      const draft = { _id: newId(), type: 'refund', amount: -amount, day } as const
      const refund = { refundId: 'RF-2222222222222222', referenceNumber: 'PI-2222222222222222' }
      const returnedFees = { providerTtc: 0, payerTtc: 0 }
      const times = { startedAt: clock.now(), occurredAt: clock.now() }
      const owner = { businessId: merchant.businessId, sandbox }
      await deps.batchers.bookEntries(owner, [{ ...draft, ...refund, ...times, returnedFees }], noDeadline)
      return String(amount)
    },
    stored: ({ deps }, ids) => deps.LedgerEntry.find({ businessId: { $in: ids } }).lean(),
  },
  bookedPayment: {
    missing: 'never missing',
    unknown: 'never unknown',
    async make({ deps, clock }, { merchant: { businessId }, sandbox }) {
      const referenceNumber = newReferenceNumber()
      const day = toUtcDay(clock.now())
      excuse([referenceNumber])
      const draft = { _id: newId(), type: 'payment', amount: 5, referenceNumber, day } as const
      await deps.batchers.bookEntries({ businessId, sandbox }, [draft], noDeadline)
      return referenceNumber
    },
    stored: ({ deps }, ids) => deps.LedgerEntry.find({ businessId: { $in: ids } }).lean(),
  },
  endpoint: {
    missing: 'ENDPOINT_NOT_FOUND',
    unknown: newId(),
    make: async (service, { merchant }) => (await subscribe(service, merchant, nowhere)).id,
    stored: ({ deps }, ids) => deps.Endpoint.find({ businessId: { $in: ids } }).lean(),
  },
  delivery: {
    missing: 'DELIVERY_NOT_FOUND',
    unknown: makeDeliveryId(newId(), newId()),
    make: async (service, { merchant }) => {
      await subscribe(service, merchant, nowhere)
      return (await freshDelivery(service, merchant))._id
    },
    stored: ({ deps }, ids) => deps.Delivery.find({ businessId: { $in: ids } }).lean(),
  },
  replay: {
    missing: 'REPLAY_NOT_FOUND',
    unknown: newId(),
    async make({ deps, ...service }, { merchant }) {
      const { id } = await subscribe({ deps, ...service }, merchant, nowhere)
      const endpoint = await deps.Endpoint.findById(id).orFail().lean()
      const request = { from: new Date(0), to: null, events: null, onlyUndelivered: false }
      const replay = await startReplay(deps, await planReplay(deps, endpoint, request), tester)
      // Replay paths name the endpoint and the replay, and the tests use one id for both.
      await deps.Replay.deleteOne({ _id: replay._id })
      await deps.Replay.insertMany([{ ...replay, _id: id }])
      return id
    },
    stored: ({ deps }, ids) => deps.Replay.find({ businessId: { $in: ids } }).lean(),
  },
  event: {
    missing: 'EVENT_NOT_FOUND',
    unknown: newId(),
    async make(service, { merchant }) {
      const { referenceNumber } = await createIntent(service, merchant)
      await relay(service, merchant)
      return (await service.deps.LoggedEvent.findOne({ referenceNumber }).orFail())._id
    },
    stored: ({ deps }, ids) => deps.LoggedEvent.find({ businessId: { $in: ids } }).lean(),
  },
  product: {
    missing: 'PRODUCT_NOT_FOUND',
    unknown: newId(),
    make: async (service, { merchant }) => (await createProduct(service, merchant))._id,
    stored: ({ deps }, ids) => deps.Product.find({ businessId: { $in: ids } }).lean(),
  },
  order: {
    missing: 'ORDER_NOT_FOUND',
    unknown: newId(),
    make: async (service, { merchant, sandbox }) => (await storeOrder(service, merchant, sandbox))._id,
    stored: ({ deps }, ids) => deps.Order.find({ businessId: { $in: ids } }).lean(),
  },
} as const satisfies Record<string, Kind>
