import type { Collection } from '../collection.ts'

/** A merchant. `liveApproved` opens live mode to its keys; `apiEnabled` is its developer API as a whole. */
export interface Business {
  _id: string
  name: string
  liveApproved: boolean
  apiEnabled: boolean
  createdAt: Date
}

export const businesses: Collection = {
  name: 'businesses',
  fields: {
    _id: String,
    name: String,
    liveApproved: Boolean,
    apiEnabled: Boolean,
    createdAt: Date,
  },
  // Staff search by a part of the name: the keys are looked through, not the documents.
  indexes: [{ name: 'name', key: { name: 1 } }],
}
