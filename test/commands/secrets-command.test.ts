import { randomBytes } from 'node:crypto'
import { rotateApiKey, setKeyStatus } from '../../src/businesses/change-key.ts'
import { rehashNote } from '../../src/businesses/key-batchers.ts'
import { findStaleKeys } from '../../src/businesses/stale-keys.ts'
import { encryptedResponse, type StoredResponse, unexpiredFilter } from '../../src/idempotency/request.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { createEncrypter } from '../../src/security/encrypt.ts'
import { reencryptField } from '../../src/security/reencrypt.ts'
import { ensureServiceKey } from '../../src/security/service-keys.ts'
import {
  decryptHeaders,
  reencryptSecrets,
  signingSecretField,
} from '../../src/webhooks/endpoints/stored-secrets.ts'
import { withAdmin } from '../admin/admin.ts'
import { addFactor, hiddenFields, signedIn, visit } from '../admin/staff.ts'
import type { Subscription } from '../support/actions.ts'
import { attempt, freshDelivery, paymentEvents } from '../support/actions.ts'
import { isSignedWith, withEndpointServer } from '../support/endpoint-server.ts'
import type { Merchant, Service } from '../support/service.ts'
import { secretKey as older, tester, withSecondProcess, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const hour = 3_600_000
const [newer, newest] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
const exchanged = { SECRET_KEY: newer, SECRET_KEY_PREVIOUS: older }
const unwatched = (): void => undefined

describe('npm run admin -- secrets rotate', () => {
  /** This process wasn't restarted: it has only the older key. */
  const service = withService()
  const both = withSecondProcess(service, exchanged)
  const notYet = withSecondProcess(service, { SECRET_KEY: older, SECRET_KEY_PREVIOUS: newer })
  const alone = withSecondProcess(service, { SECRET_KEY: newer })
  const cli = withAdmin(service)
  const endpointServer = withEndpointServer()
  before(() => {
    for (const each of [service, both, notYet, alone]) each.allowHost(endpointServer.host)
  })
  const rotate = async () => {
    const command = ['secrets', 'rotate', '--json', '--reason', 'ticket 4711']
    const { exitCode, stdout, stderr } = await cli.admin(command, exchanged)
    expect([exitCode, stderr]).to.deep.equal([0, ''])
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const send = (to: Service, merchant: Merchant, path: string, body: object, key: string) =>
    to.http.post(`/api/v1/dev${path}`).set(merchant.write(key)).send(body)
  const subscribe = async (merchant: Merchant): Promise<Subscription> => {
    const body = { url: endpointServer.url, events: paymentEvents }
    return (await send(service, merchant, '/webhooks/endpoints', body, 'subscribe').expect(201)).body.data
  }
  const use = ({ http }: Service, { read }: Merchant) => http.get('/api/v1/dev/intents').set(read())
  const storedKey = async ({ keyId }: Merchant) =>
    (await service.deps.ApiKey.findById(keyId).lean())?.secrets[0] ?? expect.fail()
  const restsOn = ({ deps }: Service) => deps.secrets.keyIds[0]
  const hasMoved = (merchant: Merchant, to: Service) =>
    waitFor('the key has moved', async () => (await storedKey(merchant)).pepper === restsOn(to))
  const reencryptKey = async (merchant: Merchant, to: Service) => {
    await use(to, merchant).expect(200)
    await hasMoved(merchant, to)
  }
  const leftOf = async ({ businessId }: Merchant) =>
    (await findStaleKeys(both.deps)).stale.keys.filter(({ business }) => business === businessId)
  const rowOf = (id: string, text: string): StoredResponse => ({
    _id: id,
    response: service.deps.secrets.encrypt(text, encryptedResponse(id)),
    refusal: true,
    paramsHash: 'x',
    at: new Date(),
    expiresAt: new Date(Date.now() + hour),
  })
  const reencryptResponses = (deps: Pick<Deps, 'secrets' | 'StoredResponse' | 'now'>, advance = unwatched) =>
    reencryptField(deps, deps.StoredResponse, 'response', { where: unexpiredFilter(deps.now()), advance })
  /** `meanwhile` runs between the reads and the writes of each batch. */
  const racing = (name: 'Endpoint' | 'StoredResponse', meanwhile: () => Promise<void>): Deps => {
    const { collection } = both.deps[name]
    const bulkWrite = (writes: never) =>
      meanwhile().then(() => collection.bulkWrite(writes, { ordered: false }))
    const { collectionName } = collection
    const raced = { collectionName, find: collection.find.bind(collection), bulkWrite }
    return { ...both.deps, [name]: { collection: raced } }
  }

  it('makes the old SECRET_KEY unnecessary without invalidating signatures, stored responses or active API keys', async () => {
    const merchant = await service.merchant()
    const { keyId: id, businessId: business } = merchant
    const key = { id, key: `sk_test_…${merchant.key.slice(-4)}`, business, endsAt: null }
    const mistyped = { SECRET_KEY: newer, SECRET_KEY_PREVIOUS: newest }
    const nothingSealed = await cli.admin(['secrets', 'rotate', '--json'], mistyped)
    expect(nothingSealed.exitCode).to.equal(1)
    const none = { endpoints: 0, secondFactors: 0, peopleFactors: 0, responses: 0, serviceKeys: 0 }
    const allReadable = {
      unreadable: none,
      unreadableEndpoints: [],
      unreadableStaff: [],
      unreadablePeople: [],
    }
    const gone = { keysGone: 1, goneKeys: [key], mayDropPrevious: false }
    expect(JSON.parse(nothingSealed.stdout)).to.deep.include({ ...allReadable, keysLeft: 0, ...gone })
    const { id: endpointId, secret } = await subscribe(merchant)
    const delivery = await freshDelivery(service, merchant)
    const requests: [path: string, body: object][] = [
      ['/intents', { amount: 700 }],
      ['/intents', { amount: 0 }],
      ['/store/products', { name: 'Thé', price: 100 }],
      ['/webhooks/endpoints', { url: 'https://shop.example/hook', events: ['payment.created'] }],
      [`/webhooks/endpoints/${endpointId}/rotate-secret`, {}],
      ['/intents/PI-unknown/cancel', {}],
    ]
    const first = []
    for (const [at, [path, body]] of requests.entries())
      first.push(await send(service, merchant, path, body, `kept-${at}`))
    expect(first.map(({ status }) => status)).to.deep.equal([201, 400, 201, 201, 200, 404])
    const support = await signedIn(service, 'support')
    const phone = await addFactor(service, support)
    await ensureServiceKey(service.deps, 'audit')
    const before = await service.deps.Endpoint.find().lean()
    const lost = await cli.admin(['secrets', 'rotate'], { SECRET_KEY: newer })
    expect(lost.exitCode).to.equal(1)
    expect(lost.stderr).to.match(
      /^2 endpoints, 1 second factors, 6 stored responses, 2 keys of the service itself and 1 API keys need a key .+\n$/,
    )
    expect(lost.stdout).to.match(
      /^reencrypted: endpoints 0, secondFactors 0, peopleFactors 0, responses 0, serviceKeys 0\nunreadable: endpoints 2, secondFactors 1, peopleFactors 0, responses 6, serviceKeys 2\nunreadableEndpoints: \n {2}/,
    )
    expect(lost.stdout).to.include(`\n  ${endpointId}\n`).and.include('\nmayDropPrevious: false\n')
    expect(await service.deps.Endpoint.find().lean()).to.deep.equal(before)
    // The endpoint and five of the six requests have stored responses. Responses to intent creation aren't stored.
    const lossless = { ...allReadable, keysGone: 0, goneKeys: [] }
    const reencrypted = { endpoints: 2, secondFactors: 1, peopleFactors: 0, responses: 6, serviceKeys: 2 }
    const oneLeft = { keysLeft: 1, keys: [key], mayDropPrevious: false }
    expect(await rotate()).to.deep.equal({ ...lossless, reencrypted, ...oneLeft })
    await reencryptKey(merchant, both)
    const noneLeft = { keysLeft: 0, keys: [], mayDropPrevious: true }
    expect(await rotate()).to.deep.equal({ ...lossless, reencrypted: none, ...noneLeft })
    const lines = await service.deps.AuditEvent.find({ act: 'secrets.rotated' }).sort({ at: 1 }).lean()
    expect(lines.map(({ reason }) => reason)).to.deep.equal([null, null, 'ticket 4711', 'ticket 4711'])
    expect(lines[0]).to.deep.include({ subject: 'secrets', businessId: null, before: null, after: null })
    expect(lines[0]?.actor.kind).to.equal('operator')
    for (const [at, [path, body]] of requests.entries()) {
      const again = await send(alone, merchant, path, body, `kept-${at}`)
      expect([again.status, again.text], path).to.deep.equal([first[at]?.status, first[at]?.text])
      expect(again.headers, path).to.include({ 'idempotent-replayed': 'true' })
    }
    // Without the older key, a process still accepts both kinds of codes.
    alone.clock.freeze(new Date(alone.clock.now().getTime() + 60_000))
    for (const code of [phone.code(2), phone.recoveryCodes[0] ?? '']) {
      const visitor = visit(alone)
      await visitor.post('/admin/sign-in', { name: support.name, password: support.password })
      const { text } = await visitor.get('/admin/sign-in/code')
      const entered = await visitor.post('/admin/sign-in/code', { ...hiddenFields(text), code })
      expect(entered.status).to.equal(303)
    }
    alone.clock.freeze(null)
    await attempt(alone.deps, delivery._id)
    const [received = expect.fail()] = await endpointServer.atLeast(1)
    expect(isSignedWith(first[4]?.body.data.secret, received)).to.equal(true)
    const byPrevious = { 'x-service-signature': received.headers['x-service-signature-previous'] }
    const asBefore = { ...received, headers: { ...received.headers, ...byPrevious } }
    expect(isSignedWith(secret, asBefore)).to.equal(true)
  })

  it('skips stored responses that have expired', async () => {
    const merchant = await service.merchant()
    await send(service, merchant, '/store/products', { name: 'Thé', price: 100 }, 'old').expect(201)
    await reencryptKey(merchant, both)
    await send(alone, merchant, '/store/products', { name: 'Thé', price: 100 }, 'old').expect(503)
    const later = () => new Date(Date.now() + 25 * hour + 1)
    const old = { ...alone.deps, now: later }
    expect(await reencryptResponses(old)).to.deep.equal({ reencrypted: 0, unreadable: [] })
    alone.clock.freeze(later())
    const changed = { name: 'Thé', price: 200 }
    const again = await send(alone, merchant, '/store/products', changed, 'old').expect(201)
    alone.clock.freeze(null)
    expect(again.headers).to.not.have.property('idempotent-replayed')
    expect(again.body.data.variants[0].price).to.equal(200)
  })

  it('keeps endpoint secrets that are rotated while the command runs', async () => {
    const merchant = await service.merchant()
    const { id, secret } = await subscribe(merchant)
    const made: string[] = []
    const deps = racing('Endpoint', async () => {
      if (made.length === 2) return
      const path = `/webhooks/endpoints/${id}/rotate-secret`
      made.push((await send(service, merchant, path, {}, `race-${made.length}`).expect(200)).body.data.secret)
    })
    expect(await reencryptSecrets(deps, unwatched)).to.deep.equal({ reencrypted: 1, unreadable: [] })
    const endpoint = await service.deps.Endpoint.findById(id).lean()
    const kept = [endpoint?.secret ?? '', ...(endpoint?.previousSecrets ?? []).map((each) => each.secret)]
    const { decrypt } = alone.deps.secrets
    const expected = [...made.toReversed(), secret]
    expect(kept.map((sealed) => decrypt(sealed, signingSecretField(id)))).to.deep.equal(expected)
  })

  it('re-encrypts custom headers, and keeps those that are changed while the command runs', async () => {
    const merchant = await service.merchant()
    const { id } = await subscribe(merchant)
    const change = (value: string | null) =>
      service.http
        .put(`/api/v1/dev/webhooks/endpoints/${id}`)
        .set(merchant.write())
        .send({ headers: value === null ? null : { 'X-Api-Key': value } })
        .expect(200)
    const sentBy = async ({ deps }: Service) =>
      decryptHeaders(deps.secrets, await service.deps.Endpoint.findById(id).orFail().lean())
    await change('first')
    const changes = ['second', null, 'third']
    const deps = racing('Endpoint', async () => {
      const next = changes.shift()
      if (next !== undefined) await change(next)
    })
    expect((await reencryptSecrets(deps, unwatched)).unreadable).to.deep.equal([])
    expect(await sentBy(alone)).to.deep.equal({ 'X-Api-Key': 'third' })
    await change('of the older key')
    expect((await reencryptSecrets(alone.deps, unwatched)).unreadable).to.include(id)
    await change(null)
    expect((await reencryptSecrets(alone.deps, unwatched)).unreadable).to.not.include(id)
  })

  it("reports an endpoint whose previous secret can't be decrypted, until that secret expires", async () => {
    const { id } = await subscribe(await service.merchant())
    const otherSecrets = createEncrypter([Buffer.from(newest, 'base64')])
    const lost = otherSecrets.encrypt('of a key that is not configured', signingSecretField(id))
    const replaced = (fromNow: number) => ({
      previousSecrets: [{ secret: lost, validUntil: new Date(Date.now() + fromNow) }],
    })
    const unreadable = async (change: object) => {
      await service.deps.Endpoint.updateOne({ _id: id }, { $set: change })
      return (await reencryptSecrets(both.deps, unwatched)).unreadable
    }
    expect(await unreadable(replaced(hour))).to.deep.equal([id])
    expect(await unreadable(replaced(-1))).to.deep.equal([])
    expect(await unreadable({ ...replaced(hour), deletedAt: new Date() })).to.deep.equal([])
  })

  it('does not overwrite a stored response that is replaced or removed concurrently', async () => {
    const { StoredResponse: rows } = service.deps
    await reencryptResponses(both.deps)
    const written = rowOf('written', '404["written"]').response
    await rows.insertMany(['written', 'removed'].map((id) => rowOf(id, '404["read"]')))
    const deps = racing('StoredResponse', async () => {
      await rows.updateOne({ _id: 'written' }, { $set: { response: written } })
      await rows.deleteOne({ _id: 'removed' })
    })
    expect(await reencryptResponses(deps)).to.deep.equal({ reencrypted: 0, unreadable: [] })
    expect((await rows.findById('written').lean())?.response).to.equal(written)
    expect(await rows.findById('removed')).to.equal(null)
  })

  it('re-encrypts each response correctly even if it is killed and run again, or run twice in parallel', async () => {
    const { StoredResponse: rows } = service.deps
    const count = 600
    await rows.insertMany(Array.from({ length: count }, (_, at) => rowOf(`many-${at}`, `404"many-${at}"`)))
    const { decrypt } = alone.deps.secrets
    const killed = () => {
      throw new Error('killed')
    }
    await reencryptResponses(both.deps, killed).catch(() => undefined)
    const isAnew = { _id: /^many-/, response: new RegExp(`^v1.${restsOn(both)}`) }
    expect(await rows.countDocuments(isAnew)).to.be.within(200, 300)
    const runs = await Promise.all([1, 2].map(() => reencryptResponses(both.deps)))
    expect(runs.map(({ unreadable }) => unreadable)).to.deep.equal([[], []])
    expect(await rows.countDocuments(isAnew)).to.equal(count)
    for (const { _id, response } of await rows.find({ _id: /^many-/ }).lean())
      expect(decrypt(response, encryptedResponse(_id))).to.equal(`404"${_id}"`)
    expect(await reencryptResponses(both.deps)).to.deep.equal({ reencrypted: 0, unreadable: [] })
  })

  it('lists exactly the API keys that still need the old SECRET_KEY', async () => {
    const make = () => service.merchant()
    const [unused, suspended, revoked] = await Promise.all([make(), make(), make()])
    const [rotated, over, gone] = await Promise.all([make(), make(), make()])
    await setKeyStatus(service.deps, suspended.keyId, 'suspended', tester)
    await setKeyStatus(service.deps, revoked.keyId, 'revoked', tester)
    const fresh = await rotateApiKey(both.deps, rotated.keyId, 3600, tester)
    await rotateApiKey(both.deps, over.keyId, 0, tester)
    const set = (merchant: Merchant, change: object) =>
      service.deps.ApiKey.updateOne({ _id: merchant.keyId }, change)
    await set(gone, { $set: { 'secrets.0.pepper': 'another' } })
    const { stale, unreadable } = await findStaleKeys(both.deps)
    expect(stale.count).to.equal(stale.keys.length)
    const ids = stale.keys.map(({ id }) => id)
    expect(ids).to.include.members([unused, suspended, rotated].map(({ keyId }) => keyId))
    for (const { keyId } of [revoked, over, gone]) expect(ids).to.not.include(keyId)
    expect(unreadable.count).to.equal(1)
    expect(unreadable.keys.map(({ id }) => id)).to.deep.equal([gone.keyId])
    const [one] = await leftOf(rotated)
    expect(one?.key).to.equal(`sk_test_…${fresh?.key.slice(-4)}`)
    expect(Date.parse(one?.endsAt ?? '') - Date.now()).to.be.within(hour - 60_000, hour)
    await set(gone, { $set: { status: 'revoked' } })
    const { exitCode, stdout } = await cli.admin(['secrets', 'rotate'], exchanged)
    expect(exitCode).to.equal(0)
    expect(stdout).to.match(
      /^reencrypted: endpoints \d+, secondFactors \d+, peopleFactors \d+, responses \d+, serviceKeys 0\nunreadable: endpoints 0, secondFactors 0, peopleFactors 0, responses 0, serviceKeys 0\nunreadableEndpoints: none\nunreadableStaff: none\nunreadablePeople: none\nkeysLeft: \d+\nkeys: \n {2}/,
    )
    expect(stdout).to.include(`\n  ${unused.keyId}  sk_test_…${unused.key.slice(-4)}  ${unused.businessId}\n`)
    for (const { key } of [unused, suspended, rotated, fresh ?? expect.fail()])
      expect(stdout).to.not.include(key.slice(8, 36))
  })

  it('lists no end date for an API key whose current secret also needs the old SECRET_KEY', async () => {
    const merchant = await service.merchant()
    await rotateApiKey(service.deps, merchant.keyId, 3600, tester)
    const [one] = await leftOf(merchant)
    expect(one).to.include({ id: merchant.keyId, endsAt: null })
  })

  it('lets the service re-hash an API key once, at its next use', async () => {
    const merchant = await service.merchant()
    // Not a list, because a business may run only two list requests at once.
    const find = ({ http }: Service) => http.get('/api/v1/dev/intents/PI-UNKNOWN').set(merchant.read())
    const requests = Array.from({ length: 60 }, (_, at) => find(at % 3 === 0 ? notYet : both))
    expect((await Promise.all(requests)).filter(({ status }) => status !== 404)).to.deep.equal([])
    await hasMoved(merchant, both)
    const moved = await storedKey(merchant)
    await use(notYet, merchant).expect(200)
    await use(both, merchant).expect(200)
    expect(await storedKey(merchant)).to.deep.equal(moved)
    expect(await leftOf(merchant)).to.deep.equal([])
    await use(alone, merchant).expect(200)
    notYet.clock.freeze(new Date(Date.now() + hour + 1000))
    await reencryptKey(merchant, notYet)
    notYet.clock.freeze(null)
    await use(service, merchant).expect(200)
  })

  it("never makes the service refuse an API key that is being re-hashed or can't be re-hashed", async () => {
    const merchant = await service.merchant()
    const { batchers } = both.deps
    const { findKey, noteOnKey } = batchers
    batchers.findKey = async (hash, by) => {
      const found = await findKey(hash, by)
      batchers.findKey = findKey
      const { hash: from } = await storedKey(merchant)
      const to = both.deps.secrets.hash(merchant.key)
      const { keyId } = merchant
      await noteOnKey(rehashNote({ keyId, from, to, pepper: restsOn(both), at: new Date() }), by)
      return found
    }
    await use(both, merchant).expect(200)
    const other = await service.merchant()
    batchers.noteOnKey = () => Promise.reject(new Error('MongoDB is unavailable'))
    await use(both, other).expect(200)
    batchers.noteOnKey = noteOnKey
    expect((await storedKey(other)).pepper).to.equal(restsOn(service))
  })
})
