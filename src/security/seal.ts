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

export const nonceBytes = 24
const tagBytes = 16

/**
 * Implements XAES-256-GCM (https://c2sp.org/XAES-256-GCM). The algorithm derives an AES-256-GCM key from the first half
 * of the nonce, and encrypts under that key with the second half. No maintained npm package implements this algorithm.
 * Random nonces are safe for 2^80 messages, compared with 2^32 for AES-256-GCM alone. The unit test runs the
 * specification's test vectors. `key` must be 32 bytes long.
 */
export function createXaes(key: Buffer) {
  // In this mode, AES encrypts whole blocks without chaining. One cipher object can therefore be used for all
  // derivations, and each `update` immediately returns the encrypted blocks.
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const k1 = doubled(aes.update(Buffer.alloc(16)))

  function derive(nonce: Buffer): KeyObject {
    const blocks = Buffer.alloc(32)
    for (const counter of [1, 2] as const) {
      const block = blocks.subarray(16 * (counter - 1), 16 * counter)
      block.set([0, counter, 0x58, 0])
      nonce.copy(block, 4, 0, 12)
      for (let at = 0; at < 16; at += 1) block[at] = (block[at] as number) ^ (k1[at] as number)
    }
    // Returns a key object, because Node 24 takes 8 µs longer with a raw key.
    return createSecretKey(aes.update(blocks))
  }

  return {
    /** Returns the ciphertext followed by the tag. `aad` is authenticated but not included in the result. */
    encrypt(nonce: Buffer, plain: Buffer, aad: Buffer): Buffer {
      const cipher = createCipheriv('aes-256-gcm', derive(nonce), nonce.subarray(12)).setAAD(aad)
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    /** Returns the plaintext. Throws unless `nonce`, `sealed` and `aad` match a call to `encrypt`. */
    decrypt(nonce: Buffer, sealed: Buffer, aad: Buffer): Buffer {
      if (sealed.length < tagBytes) throw new Error('shorter than its tag')
      const tagAt = sealed.length - tagBytes
      const decipher = createDecipheriv('aes-256-gcm', derive(nonce), nonce.subarray(12)).setAAD(aad)
      decipher.setAuthTag(sealed.subarray(tagAt))
      return Buffer.concat([decipher.update(sealed.subarray(0, tagAt)), decipher.final()])
    },
  }
}

/** Doubles a block in GF(2^128). The result is CMAC's first subkey (NIST SP 800-38B, 6.1). */
function doubled(block: Buffer): Buffer {
  const result = Buffer.alloc(16)
  for (let at = 0; at < 16; at += 1) result[at] = ((block[at] as number) << 1) | ((block[at + 1] ?? 0) >> 7)
  if ((block[0] as number) & 0x80) result[15] = (result[15] as number) ^ 0b1000_0111
  return result
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
