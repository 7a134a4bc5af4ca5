import type { Deps } from '../deps.ts'
import type { Delivery } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'

/** A delivery for support staff: without its payload, which is the merchant's and their customer's. */
export type Traced = Omit<Delivery, 'body' | 'effects'>

/** An endpoint for support staff: nothing that signs. */
export type Receiver = Pick<
  Endpoint,
  '_id' | 'businessId' | 'url' | 'events' | 'active' | 'deletedAt' | 'health' | 'createdAt'
>

const tracedFields = { body: 0, effects: 0 }
/** For lists: how it went last is enough. */
const listedFields = { ...tracedFields, unaudited: 0, attemptLog: { $slice: -1 } }
const receiverFields = {
  businessId: 1,
  url: 1,
  events: 1,
  active: 1,
  deletedAt: 1,
  health: 1,
  createdAt: 1,
}

/** 6 events for each of 5 endpoints, and room for endpoints that came and went. */
const mostOfOnePayment = 100
/** What fits a page that is read on the phone. */
const mostListed = 20

type Reads = Pick<Deps, 'Delivery' | 'Endpoint'>

export const lookUpDelivery = (deps: Reads, id: string): Promise<Traced | null> =>
  deps.Delivery.findOne({ _id: id }, tracedFields).lean<Traced | null>()

/** Every delivery of a payment, oldest first, without what the receivers answered. */
export const deliveriesOfPayment = (deps: Reads, referenceNumber: string): Promise<Traced[]> =>
  deps.Delivery.find({ referenceNumber }, { ...tracedFields, unaudited: 0, 'attemptLog.answer': 0 })
    .sort({ createdAt: 1, _id: 1 })
    .limit(mostOfOnePayment)
    .lean<Traced[]>()

/** The last to die of a receiver's, each with its last attempt. */
export const latestDeadOf = (deps: Reads, endpointId: string): Promise<Traced[]> =>
  deps.Delivery.find({ endpointId, deadAt: { $type: 'date' } }, listedFields)
    .sort({ deadAt: -1 })
    .limit(mostListed)
    .lean<Traced[]>()

/** The newest of a business's that failed and wait, or are DEAD, of both environments, each with its last attempt. */
export const latestInTrouble = (deps: Reads, businessId: string): Promise<Traced[]> =>
  deps.Delivery.find(
    { businessId, sandbox: { $in: [true, false] }, status: { $in: ['RETRYING', 'DEAD'] } },
    listedFields,
  )
    .sort({ createdAt: -1, _id: -1 })
    .limit(mostListed)
    .lean<Traced[]>()

export const lookUpEndpoint = (deps: Reads, id: string): Promise<Receiver | null> =>
  deps.Endpoint.findOne({ _id: id }, receiverFields).lean<Receiver | null>()

export const lookUpEndpoints = (deps: Reads, ids: readonly string[]): Promise<Receiver[]> =>
  deps.Endpoint.find({ _id: { $in: ids } }, receiverFields).lean<Receiver[]>()

/** A business's endpoints, newest first, deleted ones too. */
export const endpointsOf = (deps: Reads, businessId: string): Promise<Receiver[]> =>
  deps.Endpoint.find({ businessId }, receiverFields)
    .sort({ createdAt: -1, _id: -1 })
    .limit(mostListed)
    .lean<Receiver[]>()
