import * as crypto from 'node:crypto'

const nonceBytes = 24
const tagBytes = 16

/**
 * Implements https://c2sp.org/XAES-256-GCM, because no npm package does.
 * With it, random nonces are safe for 2^80 messages, instead of 2^32.
 */
export function createXaesCipher(key: Buffer) {
  // ECB doesn't chain blocks, so one cipher object serves all derivations.
  const aes = crypto.createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const k1 = doubled(aes.update(Buffer.alloc(16)))

  function derive(nonce: Buffer): crypto.KeyObject {
    const blocks = Buffer.alloc(32)
    for (const counter of [1, 2] as const) {
      const block = blocks.subarray(16 * (counter - 1), 16 * counter)
      block.set([0, counter, 0x58, 0])
      nonce.copy(block, 4, 0, 12)
      for (let at = 0; at < 16; at += 1) block[at] = (block[at] as number) ^ (k1[at] as number)
    }
    // With a raw key instead of a key object, Node 24 takes 8 µs longer.
    return crypto.createSecretKey(aes.update(blocks))
  }

  return {
    encrypt(nonce: Buffer, plain: Buffer, aad: Buffer): Buffer {
      const cipher = crypto.createCipheriv('aes-256-gcm', derive(nonce), nonce.subarray(12)).setAAD(aad)
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    decrypt(nonce: Buffer, encrypted: Buffer, aad: Buffer): Buffer {
      if (encrypted.length < tagBytes) throw new Error('shorter than its tag')
      const tagAt = encrypted.length - tagBytes
      const decipher = crypto.createDecipheriv('aes-256-gcm', derive(nonce), nonce.subarray(12)).setAAD(aad)
      decipher.setAuthTag(encrypted.subarray(tagAt))
      return Buffer.concat([decipher.update(encrypted.subarray(0, tagAt)), decipher.final()])
    },
  }
}

/** Doubles in GF(2^128) for CMAC's first subkey (NIST SP 800-38B, 6.1). */
function doubled(block: Buffer): Buffer {
  const result = Buffer.alloc(16)
  for (let at = 0; at < 16; at += 1) result[at] = ((block[at] as number) << 1) | ((block[at + 1] ?? 0) >> 7)
  if ((block[0] as number) & 0x80) result[15] = (result[15] as number) ^ 0b1000_0111
  return result
}

type SigningUse = 'sign form' | 'sign link'

/** A value that is copied to another field can't be decrypted there. */
export type EncryptedField = { collection: string; id: string; field: string }

export type Encrypter = ReturnType<typeof createEncrypter>

const signatureBytes = 16

/** Each purpose has its own key, so a leaked one doesn't reveal the others. */
export function createEncrypter(secretKeys: readonly [current: Buffer, ...previous: Buffer[]]) {
  const rings = secretKeys.map((key) => ({
    id: crypto.createHash('sha256').update('id').update(key).digest('hex').slice(0, 8),
    cipher: createXaesCipher(deriveBytes(key, 'seal')),
    pepper: derive(key, 'pepper'),
    signing: { 'sign form': derive(key, 'sign form'), 'sign link': derive(key, 'sign link') },
  }))
  const [current, ...previous] = rings as [(typeof rings)[0], ...typeof rings]
  const drawNonce = createDraw()
  const encrypt = (plain: string | Buffer, field: EncryptedField): string => {
    const nonce = drawNonce()
    const encrypted = current.cipher.encrypt(nonce, bytesOf(plain), associatedData(field))
    return `v1.${current.id}.${Buffer.concat([nonce, encrypted]).toString('base64url')}`
  }
  const decryptBytes = (encrypted: string, field: EncryptedField): Buffer => {
    const [version, id, body = ''] = encrypted.split('.')
    const ring = rings.find((each) => each.id === id)
    if (version !== 'v1' || ring === undefined) throw new Error('encrypted with a key that is not configured')
    const bytes = Buffer.from(body, 'base64url')
    const [nonce, rest] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes)]
    return ring.cipher.decrypt(nonce, rest, associatedData(field))
  }
  return {
    /** The current key's id comes first. */
    keyIds: [current.id, ...previous.map(({ id }) => id)] as const,
    /** Returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`. */
    encrypt,
    /** Throws if the value wasn't encrypted for this field. */
    decrypt: (encrypted: string, field: EncryptedField): string => decryptBytes(encrypted, field).toString(),
    /** Returns bytes, because decoding 1 MB to a string takes 4 ms. */
    decryptBytes,
    reencrypt: (encrypted: string, field: EncryptedField): string =>
      encrypted.startsWith(`v1.${current.id}.`) ? encrypted : encrypt(decryptBytes(encrypted, field), field),
    hash: (secret: string): string => hashWith(current.pepper, secret),
    /** A secret may be stored under any of these hashes. */
    hashes: (secret: string): string[] => rings.map((ring) => hashWith(ring.pepper, secret)),
    sign: (use: SigningUse, text: string): string =>
      signWith(current.signing[use], text).toString('base64url'),
    /** Also accepts signatures made with the previous SECRET_KEY. */
    isSigned(use: SigningUse, text: string, signature: string): boolean {
      const given = Buffer.from(signature, 'base64url')
      return (
        given.length === signatureBytes &&
        rings.some((ring) => crypto.timingSafeEqual(signWith(ring.signing[use], text), given))
      )
    },
  }
}

const bytesOf = (plain: string | Buffer): Buffer => (typeof plain === 'string' ? Buffer.from(plain) : plain)

/** One `randomBytes` call per value would make encryption 20 % slower. */
const drawsPerPool = 256

function createDraw(): () => Buffer {
  let pool = Buffer.alloc(0)
  let drawn = 0
  return () => {
    if (drawn === pool.length) {
      pool = crypto.randomBytes(nonceBytes * drawsPerPool)
      drawn = 0
    }
    drawn += nonceBytes
    return pool.subarray(drawn - nonceBytes, drawn)
  }
}

const hashWith = (pepper: crypto.KeyObject, secret: string): string =>
  crypto.createHmac('sha256', pepper).update(secret).digest('base64url')

const signWith = (key: crypto.KeyObject, text: string): Buffer =>
  crypto.createHmac('sha256', key).update(text).digest().subarray(0, signatureBytes)

/** Simply joining the names could be ambiguous. */
const associatedData = ({ collection, id, field }: EncryptedField): Buffer =>
  Buffer.from(JSON.stringify([collection, id, field]))

/** Node 24 spends about 30 µs checking a raw key each time it's used. */
const derive = (key: Buffer, use: string): crypto.KeyObject => crypto.createSecretKey(deriveBytes(key, use))

const deriveBytes = (key: Buffer, use: string): Buffer =>
  Buffer.from(crypto.hkdfSync('sha256', key, 'payment-intents', use, 32))
