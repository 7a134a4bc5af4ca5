import type { Collection } from '../../mongo/collection.ts'

/** Creates a collection for the failed attempts within a period. All processes share it, and it survives restarts. */
const attemptsCollection = (name: string): Collection => ({
  name,
  fields: { key: String, points: Number, expire: Date },
  indexes: [
    { name: 'key', key: { key: 1 }, unique: true },
    { name: 'expiry', key: { expire: 1 }, expireAfterSeconds: 0 },
  ],
})

/** Failed staff sign-ins. */
export const signInAttempts = attemptsCollection('signinattempts')

/** Failed lookups by short code or payment code, and refused PINs. */
export const checkoutAttempts = attemptsCollection('failedattempts')
