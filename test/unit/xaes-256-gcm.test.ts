import { createHash } from 'node:crypto'
import { createXaesCipher } from '../../src/security/encrypt.ts'

/** Test vectors: https://c2sp.org/XAES-256-GCM. */
describe('XAES-256-GCM', () => {
  const nonce = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX')
  for (const [fill, aad, ciphertext] of [
    [1, '', 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271'],
    [3, 'c2sp.org/XAES-256-GCM', '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d'],
  ] as const)
    it(`matches the test vector for a key whose bytes are all ${fill}`, () => {
      const xaes = createXaesCipher(Buffer.alloc(32, fill))
      const [plain, data] = [Buffer.from('XAES-256-GCM'), Buffer.from(aad)]
      const encrypted = xaes.encrypt(nonce, plain, data)
      expect(encrypted.toString('hex')).to.equal(ciphertext)
      expect(xaes.decrypt(nonce, encrypted, data)).to.deep.equal(plain)
      const otherNonce = Buffer.from(nonce).fill('Z', 23)
      expect(() => xaes.decrypt(otherNonce, encrypted, data)).to.throw()
      expect(() => xaes.decrypt(nonce, encrypted, Buffer.from(`${aad}x`))).to.throw()
      expect(() => xaes.decrypt(nonce, encrypted.subarray(1), data)).to.throw()
      expect(() => xaes.decrypt(nonce, encrypted.subarray(-15), data)).to.throw()
    })

  it('matches the accumulated test vector for many keys and nonces', () => {
    const random = createHash('shake128', { outputLength: 4_000_000 }).digest()
    let at = 0
    const draw = (length: number): Buffer => {
      at += length
      return random.subarray(at - length, at)
    }
    const all = createHash('shake128', { outputLength: 32 })
    for (let round = 0; round < 10_000; round += 1) {
      const [key, roundNonce] = [draw(32), draw(24)]
      const plain = draw(draw(1)[0] as number)
      const aad = draw(draw(1)[0] as number)
      all.update(createXaesCipher(key).encrypt(roundNonce, plain, aad))
    }
    expect(all.digest('hex')).to.equal('e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939')
  })
})
