import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** What is signed, each use with a key of its own: a payment's form, and the proof that somebody has its link. */
export type SigningUse = 'sign form' | 'sign link'

/** Seals what must be read again (AES-256-GCM), hashes what must only be recognised and signs what comes back (HMAC-SHA256). */
export interface Secrets {
  /** The id of each SECRET_KEY, as what it seals carries it: the current one's first, then the previous one's. */
  keyIds: readonly [current: string, ...previous: string[]]
  /** `v1.<key id>.<base64url of iv, tag and ciphertext>`; a fresh iv each time. */
  seal(plain: string): string
  /** The text that was sealed with the current or the previous SECRET_KEY. Throws on anything else. */
  unseal(sealed: string): string
  /** What was sealed with the previous SECRET_KEY, sealed with the current one; itself where it is already. Throws as `unseal` does. */
  reseal(sealed: string): string
  /** The hash to store for a secret. */
  hash(secret: string): string
  /** Every hash under which a secret may be stored: that of the current key first, then of the previous one. */
  hashes(secret: string): string[]
  /** 128 bits in base64url, 22 characters. */
  sign(use: SigningUse, text: string): string
  /** Whether this text was signed for this use with the current or the previous SECRET_KEY. */
  isSigned(use: SigningUse, text: string, signature: string): boolean
}

const ivBytes = 12
const tagBytes = 16
const signatureBytes = 16

/** Derives a key for each use from each SECRET_KEY, so that no use tells anything about another. */
export function createSecrets(secretKeys: readonly [current: Buffer, ...previous: Buffer[]]): Secrets {
  const rings = secretKeys.map((key) => ({
    id: createHash('sha256').update('id').update(key).digest('hex').slice(0, 8),
    sealing: derive(key, 'seal'),
    pepper: derive(key, 'pepper'),
    signing: { 'sign form': derive(key, 'sign form'), 'sign link': derive(key, 'sign link') },
  }))
  const [current, ...previous] = rings as [(typeof rings)[0], ...typeof rings]
  const drawIv = createDraw(ivBytes)
  const seal = (plain: string): string => {
    const iv = drawIv()
    const cipher = createCipheriv('aes-256-gcm', current.sealing, iv)
    const body = [cipher.update(plain, 'utf8'), cipher.final()]
    return `v1.${current.id}.${Buffer.concat([iv, cipher.getAuthTag(), ...body]).toString('base64url')}`
  }
  const unseal = (sealed: string): string => {
    const [version, id, body = ''] = sealed.split('.')
    const ring = rings.find((each) => each.id === id)
    if (version !== 'v1' || ring === undefined) throw new Error('sealed with a key that is not configured')
    const bytes = Buffer.from(body, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', ring.sealing, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
  }
  return {
    keyIds: [current.id, ...previous.map(({ id }) => id)],
    seal,
    unseal,
    reseal: (sealed) => (sealed.startsWith(`v1.${current.id}.`) ? sealed : seal(unseal(sealed))),
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

/** How many draws one call for secure bytes serves: a call for 12 bytes costs as much as to seal with them. */
const drawsPerPool = 256

/** Draws `length` secure bytes; none of them twice. */
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

/** A key object made once: Node 24 spends some 30 µs on looking at a raw buffer in each call. */
const derive = (key: Buffer, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, 'payment-intents', use, 32)))
