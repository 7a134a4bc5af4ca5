import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createSecrets } from '../../src/security/seal.ts'

describe('Encrypted secrets', () => {
  const [older, newer, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const secrets = createSecrets([newer])

  const field = { collection: 'endpoints', id: 'e1', field: 'secret' }

  it('decrypt to the original text, and look different each time they are encrypted', () => {
    for (const plain of ['', 'x', 'é💰\0', '{"code":"000042"}', 'x'.repeat(100_000)]) {
      const [one, two] = [secrets.seal(plain, field), secrets.seal(plain, field)]
      expect(one).to.match(/^v1\.[\da-f]{8}\.[\w-]+$/)
      expect(one).not.to.equal(two)
      expect(secrets.unseal(one, field)).to.equal(plain)
      expect(secrets.unseal(two, field)).to.equal(plain)
    }
  })

  it("can't be decrypted if one character has changed", () => {
    const sealed = secrets.seal('000042', field)
    for (let at = 0; at < sealed.length - 1; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      expect(() => secrets.unseal(changed, field), `at ${at}`).to.throw()
    }
    for (const text of ['', 'v1', '000042', sealed.slice(0, -4), `v2${sealed.slice(2)}`])
      expect(() => secrets.unseal(text, field), text).to.throw()
  })

  it('can be decrypted only for the field they were encrypted for', () => {
    const sealed = secrets.seal('000042', field)
    for (const other of [{ collection: 'intents' }, { id: 'e2' }, { field: 'sealedResponse' }])
      expect(() => secrets.unseal(sealed, { ...field, ...other }), JSON.stringify(other)).to.throw()
    expect(() => createSecrets([foreign, newer]).reseal(sealed, { ...field, id: 'e2' })).to.throw()
  })

  it('can be decrypted with the previous key while it is configured, but never with an unrelated one', () => {
    const sealed = createSecrets([older]).seal('000042', field)
    expect(createSecrets([newer, older]).unseal(sealed, field)).to.equal('000042')
    expect(() => secrets.unseal(sealed, field)).to.throw('not configured')
    expect(() => createSecrets([foreign]).unseal(sealed, field)).to.throw('not configured')
    const keyOf = (text: string) => text.slice(0, 12)
    expect(keyOf(createSecrets([newer, older]).seal('x', field))).to.equal(keyOf(secrets.seal('x', field)))
  })

  it("name the key that encrypted them, and are re-encrypted only if that's the previous key", () => {
    const both = createSecrets([newer, older])
    const [before, own] = [createSecrets([older]).seal('000042', field), secrets.seal('000042', field)]
    const anew = both.reseal(before, field)
    expect(secrets.unseal(anew, field)).to.equal('000042')
    expect([both.reseal(own, field), both.reseal(anew, field)]).to.deep.equal([own, anew])
    expect(both.keyIds).to.deep.equal([anew, before].map((sealed) => sealed.split('.')[1]))
    const foreignOne = createSecrets([foreign]).seal('000042', field)
    for (const text of [foreignOne, before.slice(0, -4), '', 'v1'])
      expect(() => both.reseal(text, field), text).to.throw()
  })

  it('are recognised by a keyed hash, first with the current key, then with the previous one', () => {
    const hash = secrets.hash('sk_test_x')
    expect(secrets.hash('sk_test_x')).to.equal(hash)
    expect(secrets.hash('sk_test_y')).not.to.equal(hash)
    expect(createSecrets([older]).hash('sk_test_x')).not.to.equal(hash)
    const hashes = [hash, createSecrets([older]).hash('sk_test_x')]
    expect(createSecrets([newer, older]).hashes('sk_test_x')).to.deep.equal(hashes)
  })

  it('use keys that can also sign a string for a purpose, and verify under the current or previous key', () => {
    const rotated = createSecrets([newer, older])
    const signature = secrets.sign('sign form', 'x')
    const before = createSecrets([older]).sign('sign form', 'x')
    expect(signature).to.match(/^[\w-]{22}$/)
    expect(rotated.sign('sign form', 'x')).to.equal(signature)
    for (const each of [signature, before]) expect(rotated.isSigned('sign form', 'x', each)).to.equal(true)
    const foreignOne = createSecrets([foreign]).sign('sign form', 'x')
    const hash = secrets.hash('x').slice(0, 22)
    for (const each of [foreignOne, hash, before, '', signature.slice(0, 8), `${signature}AAAA`])
      expect(secrets.isSigned('sign form', 'x', each), each).to.equal(false)
    expect(secrets.isSigned('sign link', 'x', signature)).to.equal(false)
    expect(secrets.isSigned('sign form', 'y', signature)).to.equal(false)
  })
})
