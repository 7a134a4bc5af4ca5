import type { Model } from 'mongoose'
import type { Batcher } from '../../mongo/batching/batcher.ts'
import { createByIdBatcher } from '../../mongo/batching/read-batcher.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { SlotOwner } from './slots.ts'

/** An endpoint with the fields that an attempt needs. */
export type AttemptEndpoint = Pick<Endpoint, '_id' | keyof typeof fields>

const fields = {
  businessId: 1,
  sandbox: 1,
  url: 1,
  secret: 1,
  previousSecrets: 1,
  active: 1,
  deletedAt: 1,
  health: 1,
} as const

export const createEndpointBatcher = (Endpoint: Model<Endpoint>): Batcher<string, AttemptEndpoint | null> =>
  createByIdBatcher<Endpoint, AttemptEndpoint>(Endpoint, fields)

type SlotEndpoint = Pick<Endpoint, '_id' | 'businessId' | 'url' | 'health'>

export function slotOwner({ _id, businessId, url, health }: SlotEndpoint): SlotOwner {
  return { endpointId: _id, businessId, health, origin: new URL(url).host }
}
