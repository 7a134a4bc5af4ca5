import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'

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
