import { expect } from 'chai'
import { plainAttack } from '../generators/plain.ts'
import type { Answer } from '../wire/answer.ts'
import { enveloped } from './enveloped.ts'
import { noFault } from './no-fault.ts'
import { createOncePerKey } from './once-per-key.ts'
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
    answer: { status: 200, headers: new Map(), cookies: [], body: '', ...answer },
    ...more,
  }
}

const refusal = (code: string): string => JSON.stringify({ success: false, error: { code } })
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
      const to = '/admin/deliveries/1/send-again'
      const act = seen('POST', to, { status: 303, headers: new Map([['location', to]]) })
      const acting = (body: string, site: 'own' | 'foreign') =>
        shutOut({ ...act, attack: { ...act.attack, body, site } })
      expect(acting('csrf=~csrf~', 'own')).to.equal(null)
      expect(acting('csrf=forged', 'own')).to.include('token')
      expect(acting('csrf=~csrf~', 'foreign')).to.include('not ours')
    })
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

  it('find a body within its limit that is answered by nothing', () => {
    const noHang = silenceOracles['no hang']
    const silence = (target: string, bytes: number, none: 'closed' | 'late' = 'closed') =>
      noHang?.({ attack: plainAttack({ target, method: 'POST', line: '/' }, 0), none, ms: 1, bytes })
    const file = 'POST /dev/store/products/import-csv'
    expect(silence(file, 1_000_000)).to.include('closed')
    expect(silence('POST /dev/intents', 100_000)).to.include('closed')
    expect(silence('POST /dev/intents', 1_000_000)).to.equal(null)
    expect(silence(file, 9_000_000)).to.equal(null)
    expect(silence(file, 9_000_000, 'late')).to.include('late')
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
