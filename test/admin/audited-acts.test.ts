import type { ApiScope } from '../../schemas/scopes.ts'
import { type AuditAction, auditedActions } from '../../src/audit/acts.ts'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import * as businesses from '../../src/businesses/change-business.ts'
import { issueApiKey, rotateApiKey, setKeyStatus } from '../../src/businesses/change-key.ts'
import { bookPayoutOnce } from '../../src/payouts/pay-out.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { isUnavailable } from '../../src/platform/errors.ts'
import type { Author } from '../../src/security/actor.ts'
import { changeRole, createAccount, setStaffDisabled } from '../../src/staff/change-account.ts'
import { createBusinessShop } from '../../src/store/shops/shops.ts'
import { createWallet } from '../../src/wallets/sandbox/operate.ts'
import { type EndpointChange, updateEndpoint } from '../../src/webhooks/endpoints/change.ts'
import { maskUrl } from '../../src/webhooks/endpoints/endpoint-facts.ts'
import { subscribe } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { closeInBackground } from '../support/closing.ts'
import { killAtEveryStep, overtake, waitForDeath, withShortLocks } from '../support/kill-at-every-step.ts'
import { receiveLive } from '../support/ledger.ts'
import { asMerchant, withServiceAndMerchant } from '../support/service.ts'
import { openVictim, type Victim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'
import { newRequest } from '../support/write-request.ts'
import { hire, trailOf } from './staff.ts'

/** Actions whose audit lines are tested in other files. */
const testedElsewhere = {
  'command-line.test.ts': auditedActions.filter((act) => /^business\.(?!created|commission|live)/.test(act)),
  'commission-command.test.ts': ['business.commission-set'],
  'reconcile.test.ts': ['reconciliation.run'],
  'retention-kills.test.ts': ['retention.run'],
  'secrets-command.test.ts': ['secrets.rotated'],
  'export-command.test.ts': ['ledger.exported'],
  'staff-audit.test.ts': ['audit.exported'],
  'requeue-*.test.ts': ['delivery.requeued'],
  'replay.test.ts': ['endpoint.replayed', 'endpoint.replay-cancelled'],
  'cancel-intents.test.ts': ['intents.cancelled'],
  'staff-*.test.ts, sign-in.test.ts': auditedActions.filter((act) => act.startsWith('staff.')),
  'portal/keys.test.ts': ['business.live-requested'],
  'portal/payments.test.ts': ['refund.requested'],
  'people/*.test.ts': auditedActions.filter((act) => act.startsWith('person.')),
  'search.test.ts': ['payment.searched-by-phone'],
  'below, that switches the API on or off': ['api.enabled', 'api.disabled'],
} as const satisfies Record<string, readonly AuditAction[]>

const by: Author = { actor: { kind: 'operator', name: 'awa', from: 'host-1' }, reason: 'ticket 4711' }

type Line = Pick<AuditEvent, 'subject' | 'businessId' | 'before' | 'after'>

describe('An audited action', () => {
  const { service, merchant } = withServiceAndMerchant()
  const scopes: ApiScope[] = ['payments.intents:read']
  const keyRights = { mode: 'test', kind: 'secret', scopes, ipAllowlist: ['192.0.2.0/24'] } as const
  const keyRequest = (businessId: string) => ({ businessId, ...keyRights, ipAllowlist: ['192.0.2.0/24'] })

  it('adds one audit line with the actor, the reason and the changed values, but without secrets', async () => {
    const { deps } = service
    const { businessId } = merchant
    const secrets: string[] = []
    const seen = new Set((await deps.AuditEvent.find({}, { _id: 1 }).lean()).map(({ _id }) => _id))
    const covered = new Set<AuditAction>(Object.values(testedElsewhere).flat())
    const newLines = async (): Promise<AuditEvent[]> => {
      const lines = await deps.AuditEvent.find({ _id: { $nin: [...seen] } }).lean<AuditEvent[]>()
      for (const { _id } of lines) seen.add(_id)
      return lines
    }
    const expectLine = async (act: AuditAction, doneBy: Author, line: Line): Promise<void> => {
      const [found, ...more] = await newLines()
      expect(more, act).to.deep.equal([])
      expect(found, act).to.deep.equal({ _id: found?._id, at: found?.at, act, ...doneBy, ...line })
      covered.add(act)
    }
    const expectNone = async (label: string): Promise<void> => {
      expect(await newLines(), label).to.deep.equal([])
    }
    const name = 'Boutique "Nour"'
    const { _id } = await businesses.createBusiness(deps, { name, liveApproved: true }, by)
    const created = { name, liveApproved: true }
    await expectLine('business.created', by, { subject: _id, businessId: _id, before: null, after: created })
    const { id: keyId, key } = (await issueApiKey(deps, keyRequest(businessId), by)) ?? { id: '', key: '' }
    secrets.push(key)
    const ofKey = { subject: keyId, businessId }
    const shown = { prefix: 'sk_test_', last4: key.slice(-4) }
    await expectLine('key.created', by, { ...ofKey, before: null, after: { ...keyRights, ...shown } })
    const rotated = await rotateApiKey(deps, keyId, 60, by)
    secrets.push(rotated?.key ?? '')
    const { secrets: stored } = await deps.ApiKey.findById(keyId).orFail().lean()
    await expectLine('key.rotated', by, {
      ...ofKey,
      before: { last4: shown.last4 },
      after: { last4: rotated?.key.slice(-4), overlapEndsAt: stored[1]?.validUntil },
    })
    const statuses = [
      ['key.suspended', 'active', 'suspended'],
      ['key.resumed', 'suspended', 'active'],
      ['key.revoked', 'active', 'revoked'],
    ] as const
    for (const [act, before, after] of statuses) {
      expect(await setKeyStatus(deps, keyId, after, by)).to.equal(true)
      await expectLine(act, by, { ...ofKey, before: { status: before }, after: { status: after } })
      expect(await setKeyStatus(deps, keyId, after, by)).to.equal(true)
      await expectNone(`${act} again`)
    }
    const shop = await createBusinessShop(deps, { businessId, name: 'Live' }, by)
    const live = { mode: 'live', name: 'Live' }
    await expectLine('shop.created', by, { subject: shop?._id ?? '', businessId, before: null, after: live })
    const sandbox = service.http.post('/api/v1/dev/store/products').set(merchant.write())
    await sandbox.send({ name: 'x', price: 1 }).expect(201)
    await expectNone('the shop of the sandbox')
    secrets.push('739154', '22335577')
    await createWallet(deps, { phone: '22335577', pin: '739154', balance: 500 }, by)
    const wallet = { subject: '22 ** ** 77', businessId: null, before: null, after: { balance: 500 } }
    await expectLine('wallet.created', by, wallet)
    const actor = { kind: 'merchant', name: merchant.keyId, from: '127.0.0.1' }
    const merchantsAct = { actor, reason: null, sandbox: true }
    /** Sends everything twice: a repeated request must not count as another action. */
    const send = async (method: 'post' | 'put' | 'delete', path: string, body: object) => {
      const headers = merchant.write()
      const url = `/api/v1/dev/webhooks/endpoints${path}`
      const { body: sent } = await service.http[method](url).set(headers).send(body)
      const { body: again } = await service.http[method](url).set(headers).send(body)
      expect([sent.success, again.success]).to.deep.equal([true, true])
      if (sent.data.secret) secrets.push(sent.data.secret)
      return sent.data.id as string
    }
    const query = 'token=query-secret'
    secrets.push('query-secret')
    const url = `https://example.com/${'a'.repeat(20)}`
    const made = { url: maskUrl(deps, `${url}?${query}`), events: ['payment.created'], active: true }
    const id = await send('post', '', { url: `${url}?${query}`, events: ['payment.created'] })
    const ofEndpoint = { subject: id, businessId }
    const lineOf = (act: AuditAction, line: Pick<Line, 'before' | 'after'>) =>
      expectLine(act, merchantsAct as Author, { ...ofEndpoint, ...line })
    await lineOf('endpoint.created', { before: null, after: made })
    await send('put', `/${id}`, { active: false, events: ['payment.created'] })
    await lineOf('endpoint.changed', { before: { active: true }, after: { active: false } })
    await send('put', `/${id}`, { active: false })
    await expectNone('an endpoint with the same values')
    const long = `https://example.com/${'b'.repeat(400)}`
    await send('put', `/${id}`, { url: long, events: ['payment.expired'] })
    await lineOf('endpoint.changed', {
      before: { url: made.url, events: made.events },
      after: { url: maskUrl(deps, long), events: ['payment.expired'] },
    })
    await send('post', `/${id}/rotate-secret`, {})
    const overlapEndsAt = (await deps.Endpoint.findById(id).orFail().lean()).previousSecrets[0]?.validUntil
    await lineOf('endpoint.secret-rotated', { before: null, after: { overlapEndsAt } })
    await send('delete', `/${id}`, {})
    const { deletedAt } = await deps.Endpoint.findById(id).orFail().lean()
    await lineOf('endpoint.deleted', { before: { deletedAt: null }, after: { deletedAt } })
    const trail = JSON.stringify(await deps.AuditEvent.find().lean())
    for (const secret of secrets) {
      expect(secret).to.have.length.greaterThan(5)
      expect(trail.includes(secret), `${secret.slice(0, 3)}… is in the trail`).to.equal(false)
    }
    expect([...covered].toSorted()).to.deep.equal([...auditedActions].toSorted())
  })

  /** How to perform an operator's action, count its changes and find its audit lines. */
  interface KillRow {
    run(deps: Deps, id: string): Promise<unknown>
    changes(id: string): Promise<number>
    lines(id: string): Record<string, unknown>
  }

  /** `id` is the case's own business, or the name of what it creates. */
  const rows: Record<string, KillRow> = {
    'business.created': {
      run: (deps, id) => businesses.createBusiness(deps, { name: id, liveApproved: false }, by),
      changes: (id) => service.deps.Business.countDocuments({ name: id }),
      lines: (id) => ({ 'after.name': id }),
    },
    'business.suspended': {
      run: (deps, id) =>
        businesses.changeBusiness(deps, id, { suspended: true }, { ...by, act: 'business.suspended' }),
      changes: (id) => service.deps.Business.countDocuments({ _id: id, suspended: true }),
      lines: (id) => ({ businessId: id }),
    },
    'staff.created': {
      run: (deps, id) => createAccount(deps, { name: id, role: 'viewer' }, by),
      changes: (id) => service.deps.Staff.countDocuments({ _id: id }),
      lines: (id) => ({ subject: id }),
    },
    'staff.disabled': {
      async run(deps, id) {
        if ((await service.deps.Staff.findById(id)) === null) await hire(service, 'viewer', id)
        await setStaffDisabled(deps, id, true, by)
      },
      changes: (id) => service.deps.Staff.countDocuments({ _id: id, disabledAt: { $ne: null } }),
      lines: (id) => ({ subject: id }),
    },
    'key.created': {
      run: (deps, id) => issueApiKey(deps, keyRequest(id), by),
      changes: async (id) => (await service.deps.ApiKey.countDocuments({ businessId: id })) - 1,
      lines: (id) => ({ businessId: id, 'after.kind': 'secret', reason: by.reason }),
    },
    'key.suspended': {
      run: async (deps, id) => setKeyStatus(deps, await keyOf(id), 'suspended', by),
      changes: async () => 1,
      lines: (id) => ({ businessId: id }),
    },
    'key.rotated': {
      run: async (deps, id) => rotateApiKey(deps, await keyOf(id), 3600, by),
      changes: async (id) =>
        (await service.deps.ApiKey.findOne({ businessId: id }).orFail().lean()).secrets.length - 1,
      lines: (id) => ({ businessId: id }),
    },
    'shop.created': {
      run: (deps, id) => createBusinessShop(deps, { businessId: id, name: 'Live' }, by),
      changes: async () => 1,
      lines: (id) => ({ businessId: id }),
    },
    'business.paid-out': {
      async run(deps, id) {
        const owner = { businessId: id, sandbox: false }
        await receiveLive(service, asMerchant(id, await service.key(id, { mode: 'live' })), 500)
        await bookPayoutOnce(deps, { ...owner, amount: 400, reference: 'TR-1' }, by)
      },
      changes: (id) => service.deps.LedgerEntry.countDocuments({ businessId: id, type: 'payout' }),
      lines: (id) => ({ businessId: id, 'after.reference': 'TR-1' }),
    },
    'wallet.created': {
      run: (deps, id) => createWallet(deps, { phone: phoneOf(id), pin: '739154', balance: 500 }, by),
      changes: async () => 1,
      lines: (id) => ({ reason: by.reason, subject: new RegExp(`${phoneOf(id).slice(-2)}$`) }),
    },
  }
  const keyOf = async (businessId: string): Promise<string> =>
    (await service.deps.ApiKey.findOne({ businessId }).orFail().lean())._id
  const phones = new Map<string, string>()
  function phoneOf(id: string): string {
    const phone = phones.get(id) ?? `223344${10 + phones.size}`
    phones.set(id, phone)
    return phone
  }

  for (const [act, { run, changes, lines }] of Object.entries(rows))
    it(`writes exactly one audit line even if the process is killed between any two steps: ${act}`, async () => {
      const cases = new Map<string, string>()
      const operation = {
        prepare: async () => (await service.merchant()).businessId,
        run: (victim: Victim, id: string) => run(victim.deps, id),
        // A dead process's locks may last longer than a batch waits.
        repeat: (id: string) =>
          waitFor(`${act} is repeated`, () =>
            run(service.deps, id).then(
              () => true,
              (error: unknown) => (isUnavailable(error) ? false : Promise.reject(error)),
            ),
          ),
        check: async (id: string, label: string) => cases.set(id, label),
      }
      await killAtEveryStep(service, operation, 0)
      for (const [id, label] of cases) {
        const found = await service.deps.AuditEvent.countDocuments({ act: act as AuditAction, ...lines(id) })
        expect(found, label).to.equal(await changes(id))
      }
    })

  describe('that is overtaken by another action between its read and its write', () => {
    const overtaken = <Result>(act: (deps: Deps) => Promise<Result>, other = act) =>
      overtake(service, 2, [act, () => other(service.deps)])
    const changesOf = async (subject: string) =>
      (await trailOf(service, subject)).map(({ before, after }) => [before, after])

    it('does not resume a revoked key', async () => {
      const { id } = await service.key(merchant.businessId)
      await setKeyStatus(service.deps, id, 'suspended', by)
      const set = (status: 'active' | 'revoked') => (deps: Deps) => setKeyStatus(deps, id, status, by)
      expect(await overtaken(set('active'), set('revoked'))).to.equal(false)
      expect((await service.deps.ApiKey.findById(id).orFail().lean()).status).to.equal('revoked')
    })

    it('keeps every secret of a key valid until its overlap ends', async () => {
      const { id, key } = await service.key(merchant.businessId)
      const keys = [key]
      await overtaken(async (deps) => keys.push((await rotateApiKey(deps, id, 3600, by))?.key ?? ''))
      expect(keys).to.have.length(3)
      for (const each of keys) {
        const headers = { Authorization: `Bearer ${each}` }
        await service.http.get('/api/v1/dev/intents').set(headers).expect(200)
      }
    })

    it('keeps the rates and limits set by the other action and audits them as the old values', async () => {
      const { businessId } = await service.merchant()
      const limited = { ...by, act: 'business.limited' } as const
      const limit = (perSecond: number) => (deps: Deps) =>
        businesses.changeBusiness(deps, businessId, { limits: { perSecond } }, limited)
      await overtaken(limit(5), limit(9))
      const [, first, second] = await changesOf(businessId)
      expect([first?.[1], second?.[0]]).to.deep.equal([{ 'limits.perSecond': 9 }, { 'limits.perSecond': 9 }])
      const set = (payer: number) => (deps: Deps) =>
        businesses.setCommission(deps, businessId, { provider: 100, payer, from: null }, by)
      await overtaken(set(10), set(20))
      const { commission } = await service.deps.Business.findById(businessId).orFail().lean()
      expect(commission.map(({ payer }) => payer)).to.deep.equal([20, 10])
    })

    it("refuses a new endpoint URL if the other action has subscribed the endpoint to events outside the key's scopes", async () => {
      const old = 'https://shop.example/hook'
      const { id } = await subscribe(service, merchant, old, ['payment.created'])
      const update = (granted: ApiScope[], change: EndpointChange) => (deps: Deps) => {
        const caller = { ...callerOf(merchant), scopes: new Set(granted) }
        return updateEndpoint(deps, caller, id, change, newRequest(deps))
      }
      const redirect = update(['payments.intents:read'], { url: 'https://other.example/hook' })
      const subscribed = update(['store.orders:read'], { events: ['order.new'] })
      const refusal = await overtaken(redirect, subscribed).catch((error: unknown) => error)
      expect(refusal).to.include({ code: 'EVENTS_NOT_PERMITTED' })
      expect((await service.deps.Endpoint.findById(id).orFail().lean()).url).to.equal(old)
    })

    it("does not undo the other action's change to a staff account", async () => {
      const { name } = await hire(service, 'support')
      const change = (deps: Deps) => changeRole(deps, name, 'viewer', by)
      await overtaken(change, (deps) => changeRole(deps, name, 'admin', by))
      expect((await changesOf(name)).slice(-2)).to.deep.equal([
        [{ role: 'support' }, { role: 'admin' }],
        [{ role: 'admin' }, { role: 'viewer' }],
      ])
    })
  })

  describe('that switches the API on or off', () => {
    it('adds one audit line, or none if nothing changes', async () => {
      for (const enabled of [false, true]) {
        await businesses.switchApi(service.deps, enabled, by)
        await businesses.switchApi(service.deps, enabled, by)
      }
      const filter = { subject: 'api' }
      const lines = await service.deps.AuditEvent.find(filter, { _id: 0, at: 0 }).sort({ at: 1 }).lean()
      const line = { ...by, subject: 'api', businessId: null }
      expect(lines).to.deep.equal([
        { ...line, act: 'api.disabled', before: { enabled: true }, after: { enabled: false } },
        { ...line, act: 'api.enabled', before: { enabled: false }, after: { enabled: true } },
      ])
    })

    it('writes exactly one audit line for each switch, even if the process is killed after any step', async () => {
      const lines = () => service.deps.AuditEvent.countDocuments({ subject: 'api' })
      const before = await lines()
      const steps = ['the read', 'the line', 'the write', 'the commit']
      await withShortLocks(service, async () => {
        for (const [index, label] of steps.entries()) {
          const victim = await openVictim(service, { step: index + 1, fate: 'unanswered', lateMs: 0 })
          const enabled = index % 2 === 1
          const running = businesses.switchApi(victim.deps, enabled, by).catch(() => undefined)
          try {
            await waitForDeath(victim, running, { step: index + 1, label })
            await businesses.switchApi(service.deps, enabled, by)
            const { enabled: stored } = await service.deps.Setting.findById('api').orFail().lean()
            expect(stored, label).to.equal(enabled)
            expect((await lines()) - before, label).to.equal(index + 1)
          } finally {
            closeInBackground(victim.close(), running)
          }
        }
      })
    })
  })
})
