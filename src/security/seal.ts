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

/** The uses of signatures, each with its own key: a payment's form, and the proof that a customer has its link. */
export type SigningUse = 'sign form' | 'sign link'

/**
 * The document field that stores a sealed value. It is the associated data, so the value can be unsealed only for this
 * field: a sealed value copied to another document is rejected.
 */
export interface SealedField {
  collection: string
  id: string
  field: string
}

/**
 * Seals values that must be read again (XAES-256-GCM), and hashes values that must only be recognised. Signs values
 * that clients send back (HMAC-SHA256).
 */
export interface Secrets {
  /** The id of each SECRET_KEY, which each value sealed with it contains. The current key's id comes first. */
  keyIds: readonly [current: string, ...previous: string[]]
  /** Returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`, with a fresh 192-bit nonce each time. */
  seal(plain: string | Buffer, field: SealedField): string
  /** Returns the text that was sealed for this field with the current or the previous SECRET_KEY. Otherwise throws. */
  unseal(sealed: string, field: SealedField): string
  /** Like `unseal`, but returns bytes, because decoding 1 MB of text takes 4 ms. */
  unsealBytes(sealed: string, field: SealedField): Buffer
  /**
   * Re-seals a value that was sealed with the previous SECRET_KEY with the current one. Returns any other sealed value
   * unchanged. Throws in the same cases as `unseal`.
   */
  reseal(sealed: string, field: SealedField): string
  /** The hash to store for a secret. */
  hash(secret: string): string
  /** Every hash under which a secret may be stored: the current key's first, then the previous key's. */
  hashes(secret: string): string[]
  /** 128 bits in base64url, 22 characters. */
  sign(use: SigningUse, text: string): string
  /** Whether this text was signed for this use with the current or the previous SECRET_KEY. */
  isSigned(use: SigningUse, text: string, signature: string): boolean
}

const signatureBytes = 16

/** Derives a key for each use from each SECRET_KEY, so that no use reveals anything about another. */
export function createSecrets(secretKeys: readonly [current: Buffer, ...previous: Buffer[]]): Secrets {
  const rings = secretKeys.map((key) => ({
    id: createHash('sha256').update('id').update(key).digest('hex').slice(0, 8),
    sealing: createXaes(deriveBytes(key, 'seal')),
    pepper: derive(key, 'pepper'),
    signing: { 'sign form': derive(key, 'sign form'), 'sign link': derive(key, 'sign link') },
  }))
  const [current, ...previous] = rings as [(typeof rings)[0], ...typeof rings]
  const drawNonce = createDraw(nonceBytes)
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
    keyIds: [current.id, ...previous.map(({ id }) => id)],
    seal,
    unseal: (sealed, field) => unsealBytes(sealed, field).toString(),
    unsealBytes,
    reseal: (sealed, field) =>
      sealed.startsWith(`v1.${current.id}.`) ? sealed : seal(unsealBytes(sealed, field), field),
    hash: (secret) => hashWith(current.pepper, secret),
    hashes: (secret) => rings.map((ring) => hashWith(ring.pepper, secret)),
    sign: (use, text) => signWith(current.signing[use], text).toString('base64url'),
    isSigned(use, text, signature) {
      const given = Buffer.from(signature, 'base64url')
      return (
        given.length === signatureBytes &&
        rings.some((ring) => timingSafeEqual(signWith(ring.signing[use], text), given))
      )
    },
  }
}

const bytesOf = (plain: string | Buffer): Buffer => (typeof plain === 'string' ? Buffer.from(plain) : plain)

/** How many nonces share one call to `randomBytes`. Each call takes a fifth as long as sealing a value. */
const drawsPerPool = 256

/** Returns a function that returns `length` new random bytes with each call. */
function createDraw(length: number): () => Buffer {
  let pool = Buffer.alloc(0)
  let drawn = 0
  return () => {
    if (drawn === pool.length) {
      pool = randomBytes(length * drawsPerPool)
      drawn = 0
    }
    drawn += length
    return pool.subarray(drawn - length, drawn)
  }
}

const hashWith = (pepper: KeyObject, secret: string): string =>
  createHmac('sha256', pepper).update(secret).digest('base64url')

const signWith = (key: KeyObject, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, signatureBytes)

/** JSON, so that different fields always produce different text. */
const associatedData = ({ collection, id, field }: SealedField): Buffer =>
  Buffer.from(JSON.stringify([collection, id, field]))

/** A key object, created once: Node 24 takes about 30 µs to check a raw buffer on each call. */
const derive = (key: Buffer, use: string): KeyObject => createSecretKey(deriveBytes(key, use))

const deriveBytes = (key: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, 'payment-intents', use, 32))
