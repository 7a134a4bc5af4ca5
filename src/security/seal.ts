import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { createXaes, nonceBytes } from './xaes-256-gcm.ts'

declare module '../platform/deps.ts' {
  interface Deps {
    secrets: Secrets
  }
}

/**
 * The purposes of signatures: to sign a payment form's token, and to prove that a customer has the payment's link. Each
 * purpose uses its own key.
 */
export type SigningUse = 'sign form' | 'sign link'

/**
 * The document field that stores a sealed value. The field is used as associated data, so the value can be unsealed
 * only for this field. A sealed value that is copied to a different document is rejected.
 */
export interface SealedField {
  collection: string
  id: string
  field: string
}

/**
 * Seals values that must be read again (XAES-256-GCM), hashes values that only need to be recognised, and signs values
 * that clients send back (HMAC-SHA256).
 */
export type Secrets = ReturnType<typeof createSecrets>

const signatureBytes = 16

/**
 * Creates the functions for sealing, hashing and signing. These functions use a separate key for each purpose, derived
 * from each SECRET_KEY, so that a key for one purpose reveals nothing about the others.
 */
export function createSecrets(secretKeys: readonly [current: Buffer, ...previous: Buffer[]]) {
  const rings = secretKeys.map((key) => ({
    id: createHash('sha256').update('id').update(key).digest('hex').slice(0, 8),
    sealing: createXaes(deriveBytes(key, 'seal')),
    pepper: derive(key, 'pepper'),
    signing: { 'sign form': derive(key, 'sign form'), 'sign link': derive(key, 'sign link') },
  }))
  const [current, ...previous] = rings as [(typeof rings)[0], ...typeof rings]
  const drawNonce = createDraw()
  const seal = (plain: string | Buffer, field: SealedField): string => {
    const nonce = drawNonce()
    const sealed = current.sealing.encrypt(nonce, bytesOf(plain), associatedData(field))
    return `v1.${current.id}.${Buffer.concat([nonce, sealed]).toString('base64url')}`
  }
  const unsealBytes = (sealed: string, field: SealedField): Buffer => {
    const [version, id, body = ''] = sealed.split('.')
    const ring = rings.find((each) => each.id === id)
    if (version !== 'v1' || ring === undefined) throw new Error('sealed with a key that is not configured')
    const bytes = Buffer.from(body, 'base64url')
    const [nonce, rest] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes)]
    return ring.sealing.decrypt(nonce, rest, associatedData(field))
  }
  return {
    /** The ids of the SECRET_KEYs, with the current key's id first. Each sealed value contains the id of its key. */
    keyIds: [current.id, ...previous.map(({ id }) => id)] as const,
    /** Returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`. Each call uses a new 192-bit nonce. */
    seal,
    /**
     * Returns the string that was sealed for this field with the current or the previous SECRET_KEY. Throws if the
     * value was not sealed in this way.
     */
    unseal: (sealed: string, field: SealedField): string => unsealBytes(sealed, field).toString(),
    /** Like `unseal`, but returns bytes instead of a string, because decoding 1 MB of text takes 4 ms. */
    unsealBytes,
    /**
     * Seals a value again with the current SECRET_KEY if the value was sealed with the previous one. Any other sealed
     * value is returned unchanged. Throws in the same cases as `unseal`.
     */
    reseal: (sealed: string, field: SealedField): string =>
      sealed.startsWith(`v1.${current.id}.`) ? sealed : seal(unsealBytes(sealed, field), field),
    /** Returns the hash to store for a secret. */
    hash: (secret: string): string => hashWith(current.pepper, secret),
    /** Returns all hashes under which a secret may be stored: the current key's hash first, then the previous key's. */
    hashes: (secret: string): string[] => rings.map((ring) => hashWith(ring.pepper, secret)),
    /** Returns a signature of 128 bits, encoded as 22 base64url characters. */
    sign: (use: SigningUse, text: string): string => signWith(current.signing[use], text).toString('base64url'),
    /** Returns whether this text was signed for this use with the current or the previous SECRET_KEY. */
    isSigned(use: SigningUse, text: string, signature: string): boolean {
      const given = Buffer.from(signature, 'base64url')
      return (
        given.length === signatureBytes &&
        rings.some((ring) => timingSafeEqual(signWith(ring.signing[use], text), given))
      )
    },
  }
}

const bytesOf = (plain: string | Buffer): Buffer => (typeof plain === 'string' ? Buffer.from(plain) : plain)

/** The number of nonces drawn with one call to `randomBytes`. A call takes a fifth as long as sealing a value. */
const drawsPerPool = 256

/** Returns a function that returns a new random nonce on each call. */
function createDraw(): () => Buffer {
  let pool = Buffer.alloc(0)
  let drawn = 0
  return () => {
    if (drawn === pool.length) {
      pool = randomBytes(nonceBytes * drawsPerPool)
      drawn = 0
    }
    drawn += nonceBytes
    return pool.subarray(drawn - nonceBytes, drawn)
  }
}

const hashWith = (pepper: KeyObject, secret: string): string =>
  createHmac('sha256', pepper).update(secret).digest('base64url')

const signWith = (key: KeyObject, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, signatureBytes)

/** JSON ensures that different fields always produce different associated data. */
const associatedData = ({ collection, id, field }: SealedField): Buffer =>
  Buffer.from(JSON.stringify([collection, id, field]))

/** Derives a key as a `KeyObject`, because Node 24 takes about 30 µs to check a raw buffer each time it is used. */
const derive = (key: Buffer, use: string): KeyObject => createSecretKey(deriveBytes(key, use))

const deriveBytes = (key: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, 'payment-intents', use, 32))
