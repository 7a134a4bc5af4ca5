import { randomBytes } from 'node:crypto'
import { createEncrypter } from '../../src/security/encrypt.ts'

describe('An encrypted secret', () => {
  const [older, newer, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const secrets = createEncrypter([newer])
  const field = { collection: 'endpoints', id: 'e1', field: 'secret' }

  it('can be decrypted to the original text and looks different each time it is encrypted', () => {
    for (const plain of ['', 'x', 'é💰\0', '{"code":"000042"}', 'x'.repeat(100_000)]) {
      const [one, two] = [secrets.encrypt(plain, field), secrets.encrypt(plain, field)]
      expect(one).to.match(/^v1\.[\da-f]{8}\.[\w-]+$/)
      expect(one).not.to.equal(two)
      expect(secrets.decrypt(one, field)).to.equal(plain)
      expect(secrets.decrypt(two, field)).to.equal(plain)
    }
  })

  it('cannot be decrypted if one character has been changed', () => {
    const encrypted = secrets.encrypt('000042', field)
    for (let at = 0; at < encrypted.length - 1; at += 1) {
      const changed = encrypted.slice(0, at) + (encrypted[at] === 'A' ? 'B' : 'A') + encrypted.slice(at + 1)
      expect(() => secrets.decrypt(changed, field), `at ${at}`).to.throw()
    }
    for (const text of ['', 'v1', '000042', encrypted.slice(0, -4), `v2${encrypted.slice(2)}`])
      expect(() => secrets.decrypt(text, field), text).to.throw()
  })

  it('can be decrypted only for the field for which it was encrypted', () => {
    const encrypted = secrets.encrypt('000042', field)
    for (const other of [{ collection: 'intents' }, { id: 'e2' }, { field: 'sealedResponse' }])
      expect(() => secrets.decrypt(encrypted, { ...field, ...other }), JSON.stringify(other)).to.throw()
    expect(() => createEncrypter([foreign, newer]).reencrypt(encrypted, { ...field, id: 'e2' })).to.throw()
  })

  it('can be decrypted with the previous key only while that key is configured', () => {
    const encrypted = createEncrypter([older]).encrypt('000042', field)
    expect(createEncrypter([newer, older]).decrypt(encrypted, field)).to.equal('000042')
    expect(() => secrets.decrypt(encrypted, field)).to.throw('not configured')
    expect(() => createEncrypter([foreign]).decrypt(encrypted, field)).to.throw('not configured')
    const keys = [createEncrypter([newer, older]), secrets].map((each) =>
      each.encrypt('x', field).slice(0, 12),
    )
    expect(keys[0]).to.equal(keys[1])
  })

  it('is encrypted again only if it was encrypted with the previous key', () => {
    const both = createEncrypter([newer, older])
    const [before, own] = [
      createEncrypter([older]).encrypt('000042', field),
      secrets.encrypt('000042', field),
    ]
    const anew = both.reencrypt(before, field)
    expect(secrets.decrypt(anew, field)).to.equal('000042')
    expect([both.reencrypt(own, field), both.reencrypt(anew, field)]).to.deep.equal([own, anew])
    expect(both.keyIds).to.deep.equal([anew, before].map((encrypted) => encrypted.split('.')[1]))
    const foreignOne = createEncrypter([foreign]).encrypt('000042', field)
    for (const text of [foreignOne, before.slice(0, -4), '', 'v1'])
      expect(() => both.reencrypt(text, field), text).to.throw()
  })

  it('is recognised by a keyed hash, first with the current key, then with the previous one', () => {
    const hash = secrets.hash('sk_test_x')
    expect(secrets.hash('sk_test_x')).to.equal(hash)
    expect(secrets.hash('sk_test_y')).not.to.equal(hash)
    expect(createEncrypter([older]).hash('sk_test_x')).not.to.equal(hash)
    const hashes = [hash, createEncrypter([older]).hash('sk_test_x')]
    expect(createEncrypter([newer, older]).hashes('sk_test_x')).to.deep.equal(hashes)
  })

  it('uses a key that can also sign a string for a purpose', () => {
    const rotated = createEncrypter([newer, older])
    const signature = secrets.sign('sign form', 'x')
    const before = createEncrypter([older]).sign('sign form', 'x')
    expect(signature).to.match(/^[\w-]{22}$/)
    expect(rotated.sign('sign form', 'x')).to.equal(signature)
    for (const each of [signature, before]) expect(rotated.isSigned('sign form', 'x', each)).to.equal(true)
    const foreignOne = createEncrypter([foreign]).sign('sign form', 'x')
    const hash = secrets.hash('x').slice(0, 22)
    for (const each of [foreignOne, hash, before, '', signature.slice(0, 8), `${signature}AAAA`])
      expect(secrets.isSigned('sign form', 'x', each), each).to.equal(false)
    expect(secrets.isSigned('sign link', 'x', signature)).to.equal(false)
    expect(secrets.isSigned('sign form', 'y', signature)).to.equal(false)
  })
})
