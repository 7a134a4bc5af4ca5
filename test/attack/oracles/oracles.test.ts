import { expect } from 'chai'
import { createPools } from '../cast/pools.ts'
import { marksIn } from '../cast/references.ts'
import type { Due } from '../generators/attack.ts'
import { plainAttack } from '../generators/plain.ts'
import type { Answer } from '../wire/answer.ts'
import { createApart } from './apart.ts'
import { asDescribed } from './as-described.ts'
import { enveloped } from './enveloped.ts'
import { faultOf } from './fault-of.ts'
import { noFault } from './no-fault.ts'
import { createOncePerKey } from './once-per-key.ts'
import { readOnce } from './read-once.ts'
import { runOracles } from './run-oracles.ts'
import type { Seen } from './seen.ts'
import { shutOut } from './shut-out.ts'
import { silenceOracles } from './silence-oracles.ts'

const cancel = '/api/v1/dev/intents/PI-1/cancel'

/** What a supporter, whose key is good, asked for and was answered. */
function seen(method: string, line: string, answer: Partial<Answer>, more: Partial<Seen> = {}): Seen {
  return {
    attack: plainAttack({ target: `${method} ${line}`, method, line }, 0),
    actor: { kind: 'test secret', owner: 0, mode: 'test', key: 'sk', let: 'all' },
    staff: { role: 'support', name: 'a', password: 'b', cookie: 'c', csrf: 'd' },
    number: 0,
    line,
    idempotencyKey: 'scene-1',
    place: 0,
    answer: { status: 200, headers: new Map(), cookies: [], body: '', beyond: 0, ...answer },
    ...more,
  }
}

const refusal = (code: string): string => JSON.stringify({ success: false, error: { code } })
const suspended = { kind: 'suspended', owner: 0, mode: 'test', key: 'sk', let: 'nothing' } as const

/** An answer to raw bytes in which are requests that must get this. */
function seenRaw(dues: Due[], place: number, answer: Partial<Answer>, more: Partial<Seen> = {}): Seen {
  const made = seen('', '', answer, more)
  return { ...made, place, attack: { ...made.attack, raw: { text: '', dues } } }
}
const forged = { role: 'forged', name: 'a', password: 'b', cookie: 'c', csrf: 'd' } as const

describe('The oracles of the attack', () => {
  describe('once per key', () => {
    const told = (status: number, body: string, isReplay = false): Seen =>
      seen('POST', cancel, {
        status,
        body,
        headers: new Map(isReplay ? [['idempotent-replayed', 'true']] : []),
      })
    const after = (...answers: Seen[]): (string | null)[] => answers.map(createOncePerKey())
    const [done, refused] = ['{"success":true}', refusal('INTENT_CANCEL_INVALID_STATUS')]

    it('find an act that is done again: refused, done, or alike', () => {
      expect(after(told(200, done), told(400, refused))[1]).to.include('INVALID_STATUS')
      expect(after(told(400, refused), told(200, done))[1]).to.include('success')
      expect(after(told(200, done), told(200, done))[1]).to.include('done again')
      expect(after(told(400, refused), told(400, refused))[1]).to.include('done again')
    })

    it('take a replay, in whatever order, and what is said before the key is looked for', () => {
      expect(after(told(200, done), told(200, done, true))).to.deep.equal([null, null])
      expect(after(told(200, done, true), told(200, done))).to.deep.equal([null, null])
      expect(after(told(400, refusal('INVALID_JSON')), told(200, done))).to.deep.equal([null, null])
    })
  })

  describe('shut out', () => {
    const queues = '/admin/queues/api/queues'

    it('find anything of the staff that is shown to who is not signed in', () => {
      for (const line of [queues, '/admin', '/admin/payments/PI-1'])
        expect(shutOut(seen('GET', line, { body: '{}' }, { staff: forged })), line).to.include(
          'not signed in',
        )
    })

    it('take the way to the sign-in, its form and a refusal', () => {
      const away = new Map([['location', '/admin/sign-in?to=%2Fadmin']])
      expect(
        [
          seen('GET', queues, { status: 403 }, { staff: forged }),
          seen('GET', '/admin', { status: 303, headers: away }, { staff: forged }),
          seen('GET', '/admin/sign-in', {}, { staff: forged }),
        ].map(shutOut),
      ).to.deep.equal([null, null, null])
    })

    it('find an act without the token of its session, or of another site', () => {
      const to = '/admin/deliveries/1/requeue'
      const act = seen('POST', to, { status: 303, headers: new Map([['location', to]]) })
      const acting = (body: string, site: 'own' | 'foreign') =>
        shutOut({ ...act, attack: { ...act.attack, body, site } })
      expect(acting('csrf=~csrf~', 'own')).to.equal(null)
      expect(acting('csrf=forged', 'own')).to.include('token')
      expect(acting('csrf=~csrf~', 'foreign')).to.include('not ours')
    })

    it('find a key that is let in after HEAD, which shows nothing', () => {
      const head = (line: string, status: number) =>
        shutOut(seen('HEAD', line, { status }, { actor: suspended }))
      expect(head('/api/v1/dev/intents', 200)).to.include('suspended')
      expect(head('/api/v1/dev/intents', 403)).to.equal(null)
      expect(head('/healthz', 200)).to.equal(null)
    })

    it('find a success for raw bytes by the key that stands in them', () => {
      const body = '{"success":true,"data":{}}'
      expect(shutOut(seenRaw(['keyed'], 0, { body }, { actor: suspended }))).to.include('suspended')
      expect(shutOut(seenRaw(['keyed', 'keyless'], 1, { body }))).to.include('no key')
      expect(shutOut(seenRaw(['keyed'], 0, { body }))).to.equal(null)
    })
  })

  describe('read once', () => {
    it('find bytes with two ends that are carried out, and more answers than requests', () => {
      expect(readOnce(seenRaw(['refused'], 0, { status: 201 }))).to.include('201')
      expect(readOnce(seenRaw([], 0, { status: 200 }))).to.include('200')
      expect(readOnce(seenRaw(['keyed'], 1, { status: 400 }))).to.include('answer 2')
      expect(readOnce(seenRaw([], 1, { status: 400 }))).to.include('answer 2')
    })

    it('take a refusal, of what has no end as well, and what is a request', () => {
      expect(readOnce(seenRaw(['refused'], 0, { status: 400 }))).to.equal(null)
      expect(readOnce(seenRaw([], 0, { status: 401 }))).to.equal(null)
      expect(readOnce(seenRaw(['keyed'], 0, { status: 201 }))).to.equal(null)
    })
  })

  describe('apart', () => {
    const pools = createPools()
    pools.add(1, 'test', 'intent', 'PI-1')
    pools.add(0, 'live', 'delivery', 'd-live')
    pools.add(0, 'live', 'endpoint', 'e-both')
    pools.add(0, 'test', 'delivery', 'd-own')
    const judged = (data: object) =>
      createApart(pools)(
        seen('GET', '/api/v1/dev/webhooks/events', { body: JSON.stringify({ success: true, data }) }),
      )

    it('find what carries no mark, by its id and by its environment', () => {
      expect(judged({ items: [{ id: 'x', sandbox: false }] })).to.include('sandbox')
      expect(judged({ items: [{ referenceNumber: 'PI-1' }] })).to.include('another business')
      expect(judged({ id: 'd-live' })).to.include('other environment')
    })

    it("take the key's own, endpoints of both environments, and what metadata say", () => {
      const own = { id: 'd-own', endpointId: 'e-both', sandbox: true, metadata: { id: 'PI-1' } }
      expect(judged({ items: [own] })).to.equal(null)
    })

    it('find what a business wrote in the answer to raw bytes: of another one, or of any where no key stands', () => {
      const raw = (due: Due, body: string) => createApart(pools)(seenRaw([due], 0, { body }))
      expect(raw('keyed', 'Mk1tq3e')).to.include('another business')
      expect(raw('keyless', 'Mk0tq3e')).to.include('no key')
      expect(raw('keyed', 'Mk0tq3e')).to.equal(null)
    })
  })

  it('find JSON that is cut, in whatever is read of it', () => {
    const json = 'application/json; charset=utf-8'
    const headers = new Map([
      ['x-request-id', '01234567-0123-0123-0123-0123456789ab'],
      ['x-content-type-options', 'nosniff'],
      ['content-type', json],
    ])
    const cut = (status: number) => seen('POST', cancel, { status, headers, body: '{"success":true,"data":' })
    expect(enveloped(cut(200))).to.include('no JSON')
    expect(createOncePerKey()(cut(400))).to.equal(null)
    expect(() => asDescribed(cut(200))).to.throw()
    expect(faultOf(asDescribed, cut(200))).to.include('cannot be judged')
  })

  it('find what is not described, whatever stands in the line or the headers, but what ends the connection', () => {
    const list = '/api/v1/dev/intents?from=2026-11-22T00%3A00%3A00Z'
    const judged = (headers: [string, string][]) => {
      const odd = seen('GET', list, { status: 418, headers: new Map(headers), body: refusal('TEAPOT') })
      return asDescribed({ ...odd, attack: { ...odd.attack, headers: [['Origin', 'null']] } })
    }
    expect(judged([])).to.include('does not describe 418')
    expect(judged([['connection', 'close']])).to.equal(null)
  })

  it('find bytes behind an answer, but the body of a refusal that knows of no HEAD', () => {
    const after = (method: string, beyond: number, headers: [string, string][]) =>
      enveloped(seen(method, '/api/v1/dev/intents', { beyond, headers: new Map(headers) }))
    const ending: [string, string][] = [
      ['connection', 'close'],
      ['content-length', '5'],
    ]
    expect(after('GET', 5, ending)).to.include('5 bytes')
    expect(after('HEAD', 5, [['content-length', '5']])).to.include('5 bytes')
    expect(after('HEAD', 6, ending)).to.include('6 bytes')
    expect(after('HEAD', 5, ending)).not.to.include('bytes')
  })

  it('find a receiver on this machine that production reaches', () => {
    const reached = (isProduction: boolean) =>
      runOracles['nothing private reached']?.({
        processes: [{ name: 'worker', connections: () => ['127.0.0.1:7', '127.0.0.1:8'] }],
        receivers: { honestPort: 7, trapped: [] },
        serverPorts: [8],
        isProduction,
      } as never)
    expect(reached(false)).to.deep.equal([])
    expect(reached(true)).to.deep.equal(['worker connected to 127.0.0.1:7'])
  })

  it('find whose a text is by its mark, and none in what is sealed or by chance', () => {
    expect(marksIn('Mk3tq12e and Mk4q5e, of Mk2e')).to.deep.equal([
      { owner: 3, mode: 'test', number: 12 },
      { owner: 4, mode: null, number: 5 },
      { owner: 2, mode: null, number: null },
    ])
    expect(marksIn('"v1.ba3e3c1b.tRatMk0tq12eK5-Mk1e_G5" and Mk0le')).to.deep.equal([])
  })

  it('find a fault behind a refusal that is meant', () => {
    const busy = new Map([['retry-after', '2']])
    const crowded = 'Too many people are signing in right now.'
    const answers = (body: string) => seen('POST', '/admin/sign-in', { status: 503, headers: busy, body })
    expect(noFault(answers(crowded))).to.equal(null)
    expect(noFault(answers('MongoDB is away'))).to.include('503')
    const off = {
      actor: { kind: 'switched off', owner: 4, mode: 'test', key: 'sk', let: 'nothing' },
    } as const
    const head = seen('HEAD', '/api/v1/dev/intents', { status: 503, headers: busy }, off)
    expect(noFault(head)).to.equal(null)
  })

  it('find a page that may be framed, kept or told of, each by itself', () => {
    const good: [string, string][] = [
      ['x-request-id', '01234567-0123-0123-0123-0123456789ab'],
      ['x-content-type-options', 'nosniff'],
      ['content-type', 'text/html; charset=utf-8'],
      ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
      ['referrer-policy', 'no-referrer'],
      ['cache-control', 'no-store'],
      ['x-frame-options', 'DENY'],
      ['x-robots-tag', 'noindex, nofollow'],
    ]
    const judged = (headers: [string, string][]) =>
      enveloped(seen('GET', '/p/abc', { headers: new Map(headers), body: '<h1>' }))
    expect(judged(good)).to.equal(null)
    for (const [name] of good) expect(judged(good.filter(([each]) => each !== name)), name).not.to.equal(null)
    for (const policy of [
      "default-src 'none'",
      "default-src 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'",
    ])
      expect(judged([...good, ['content-security-policy', policy]])).to.include('policy')
  })

  it('find a neighbour who is refused or slowed, and ignore noise of the machine', () => {
    const all = (ms: number) => ({ create: [ms, 1], read: [ms], list: [ms], webhook: [] })
    const judged = (alone: number, beside: number, refused: string[] = []) =>
      runOracles['no neighbour is slowed']?.({
        neighbour: { alone: all(alone), beside: all(beside), refused },
      } as never)
    expect(judged(10, 900)).to.deep.equal([])
    expect(judged(200, 1900)).to.deep.equal([])
    expect(judged(10, 1100)).to.have.lengthOf(3)
    expect(judged(200, 2100)?.[0]).to.include('create').and.include('2100').and.include('200')
    expect(judged(10, 10, ['create: 503'])).to.have.lengthOf(1)
  })

  it('find a body within its limit that is answered by nothing', () => {
    const noHang = silenceOracles['no hang']
    const silence = (target: string, bytes: number, none: 'closed' | 'late' = 'closed', part = 0) =>
      noHang?.({ attack: plainAttack({ target, method: 'POST', line: '/' }, 0), none, ms: 1, part, bytes })
    const file = 'POST /dev/store/products/import-csv'
    expect(silence(file, 1_000_000)).to.include('closed')
    expect(silence('POST /dev/intents', 100_000)).to.include('closed')
    expect(silence('POST /dev/intents', 1_000_000)).to.equal(null)
    expect(silence(file, 9_000_000)).to.equal(null)
    expect(silence(file, 9_000_000, 'late')).to.include('late')
    expect(silence(file, 10, 'closed', 4)).to.include('4 bytes of an answer')
  })

  it('find what either process holds above what so many requests may leave', () => {
    const grown = (name: string, bytes: number) =>
      runOracles['memory as it was']?.({
        memory: [{ name, early: 50_000_000, late: 50_000_000 + bytes, requests: 1500 }],
      } as never)
    expect(grown('web', 4_000_000)).to.deep.equal([])
    for (const name of ['web', 'worker']) expect(grown(name, 4_500_000)?.[0]).to.include(name)
  })
})
