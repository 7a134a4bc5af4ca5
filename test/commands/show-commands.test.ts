import { newApiKey } from '../../src/businesses/api-key.ts'
import { rotateApiKey } from '../../src/businesses/change-key.ts'
import type { SecretFacts } from '../../src/businesses/key-facts.ts'
import { createAccount, createAccountWithLink, setStaffDisabled } from '../../src/staff/change-account.ts'
import { createWallet } from '../../src/wallets/sandbox/operate.ts'
import { findWalletAccount } from '../../src/wallets/sandbox/sandbox-wallet.ts'
import { withAdmin } from '../admin/admin.ts'
import { freshDelivery, subscribe } from '../support/actions.ts'
import { deadDelivery, shortRetryDelays } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { intents, tester, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const text = (lines: string) => lines.trimEnd().split('\n')

describe('A list or show command', () => {
  const service = withService(shortRetryDelays)
  const cli = withAdmin(service)
  const failing = withEndpointServer()
  before(() => failing.respondWith((res) => void res.writeHead(500).end()))
  const idsOf = async (...args: string[]) => {
    return ((await cli.done(...args)) as unknown as { items: { id: string }[] }).items.map(({ id }) => id)
  }

  it('lists matching keys page by page, newest first', async () => {
    const { businessId, keyId, key } = await service.merchant()
    const bound = await service.key(businessId, {
      mode: 'live',
      scopes: ['store.orders:read'],
      ipAllowlist: ['192.0.2.7'],
    })
    const public_ = await service.key(businessId, { kind: 'publishable' })
    await service.deps.ApiKey.updateOne({ _id: public_.id }, { status: 'suspended' })
    await service.http.get(intents).set({ Authorization: `Bearer ${key}` })
    await waitFor('the day', async () => (await service.deps.ApiKey.findById(keyId))?.lastUsedDay !== null)
    await rotateApiKey(service.deps, keyId, 3600, tester)
    const pages = {
      '--limit 2': [public_.id, bound.id],
      [`--limit 2 --after ${bound.id}`]: [keyId],
      '--mode test --kind publishable': [public_.id],
      '--status active': [bound.id, keyId],
      '--scope webhooks.endpoints:read --mode test': [public_.id, keyId],
    }
    for (const [filter, ids] of Object.entries(pages))
      expect(await idsOf('key', 'list', '--business', businessId, ...filter.split(' '))).to.deep.equal(ids)
    const [table, shown, blocked, blockedText] = await Promise.all([
      cli.here('key', 'list', '--business', businessId, '--limit', '2'),
      cli.done('key', 'show', keyId),
      cli.done('key', 'show', public_.id),
      cli.here('key', 'show', bound.id),
    ])
    const [head, first, second, , more] = text(table.stdout)
    expect(head).to.match(/^ID +KEY +BUSINESS +STATE +SCOPES +CREATED +LAST USED$/)
    expect(first).to.match(/^\w{24} {2}pk_test_…\w{4} .* suspended {2}all /)
    expect(second?.indexOf(businessId)).to.equal(head?.indexOf('BUSINESS'))
    expect(more).to.equal(`More: add --after ${bound.id}`)
    const business = { businessId, businessName: 'Épicerie' }
    expect(shown).to.include({ id: keyId, ...business, mode: 'test', status: 'active' })
    expect(shown.lastUsedDay).to.equal(service.clock.now().toISOString().slice(0, 10))
    const [current, old] = shown.secrets as unknown as SecretFacts[]
    expect(current).to.include({ state: 'current', validUntil: null })
    expect(old).to.include({ state: 'overlap', last4: key.slice(-4) })
    expect(JSON.stringify(shown)).not.to.match(/hash|pepper/)
    expect(blocked.blockedBy).to.deep.equal(['key-suspended'])
    expect(blockedText.stdout).to.match(/^scopes +store\.orders:read$/m)
    expect(blockedText.stdout).to.match(/^ipAllowlist +192\.0\.2\.7$/m)
    expect(blockedText.stdout).to.match(/^lastUsedDay +never$/m)
  })

  it('finds the key that belongs to a secret read from standard input', async () => {
    const { keyId, key: old } = await service.merchant()
    const current = (await rotateApiKey(service.deps, keyId, 3600, tester))?.key ?? ''
    const ended = await service.merchant({ mode: 'live' })
    await rotateApiKey(service.deps, ended.keyId, 0, tester)
    const previous = Buffer.from(service.deps.config.secretKeys[0]).toString('base64')
    const newer = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), SECRET_KEY_PREVIOUS: previous }
    const find = (input: string, changes = {}) => cli.admin(['key', 'find', '--json'], changes, input)
    const known = await Promise.all([
      find(current, newer),
      find(`\n 2026-11-21 GET /dev Authorization: Bearer ${old} 200\n`),
      find(`KEY="${ended.key}"`),
    ])
    const found = known.map(({ stdout }) => JSON.parse(stdout))
    expect(found.map(({ id, matched, blockedBy }) => [id, matched, blockedBy])).to.deep.equal([
      [keyId, 'current', []],
      [keyId, 'overlap', []],
      [ended.keyId, 'ended', ['secret-ended']],
    ])
    const last = current.slice(-1) === 'a' ? 'b' : 'a'
    const unknown: [RegExp, Promise<(typeof known)[0]>][] = [
      [/^The key is mistyped/, find(current.slice(0, -1) + last)],
      [/^The key is well formed but unknown/, find(newApiKey('secret', 'live'))],
      [/contains no API key/, find('sk_prod_1')],
      [/contains 2 keys/, find(`${current} ${old}`)],
      [/admin key find < file/, cli.admin(['key', 'find', current])],
      [/admin key find < file/, cli.admin(['key', 'show', `--limit=${current}`])],
      [/No key has/, cli.here('key', 'find', '--last4', '0000')],
    ]
    const outcomes = await Promise.all(unknown.map(([, outcome]) => outcome))
    outcomes.forEach(({ exitCode, stdout, stderr }, index) => {
      expect([exitCode, stdout], String(index)).to.deep.equal([1, ''])
      expect(stderr).to.match(unknown[index]?.[0] as RegExp)
    })
    for (const { stdout, stderr } of [...known, ...outcomes])
      for (const key of [current, old, ended.key]) expect(stdout + stderr).not.to.include(key)
    const byLast4 = await cli.here('key', 'find', '--last4', old.slice(-4))
    expect(byLast4.stdout).to.match(new RegExp(`^${keyId} .* overlap$`, 'm'))
  })

  it('shows staff accounts, shops and wallets', async () => {
    const merchant = await service.merchant()
    const { businessId } = merchant
    const by = { actor: { kind: 'operator', name: 'test', from: null }, reason: 'test' } as const
    for (const name of ['fatou', 'moussa', 'sidi'])
      await createAccount(service.deps, { name, role: name === 'sidi' ? 'support' : 'viewer' }, by)
    await setStaffDisabled(service.deps, 'moussa', true, by)
    await createAccountWithLink(service.deps, { name: 'zeina', role: 'viewer' }, by)
    expect((await cli.done('staff', 'show', 'zeina')).password).to.match(/^no password yet: link valid /)
    await setStaffDisabled(service.deps, 'zeina', true, by)
    const enabled = await cli.done('staff', 'enable', 'zeina')
    expect(enabled.password).to.equal('no password, no link: issue a link')
    const created = service.http.post('/api/v1/dev/store/products').set(merchant.write())
    await created.send({ name: 'x', price: 1 }).expect(201)
    const [shop] = await service.deps.Shop.find({ businessId }).lean()
    await createWallet(service.deps, { phone: '44556677', pin: '2580', balance: 1250 }, tester)
    await createWallet(service.deps, { phone: '44556688', pin: '2580', balance: 7 }, tester)
    const wrongPins = { count: 5, lastAt: new Date(Date.now()) }
    await service.deps.WalletAccount.updateOne({ phone: '44556677' }, { wrongPins })
    const [staff, filtered, account, shops, shownShop, wallets, wallet] = await Promise.all([
      cli.here('staff', 'list', '--limit', '2'),
      cli.here('staff', 'list', '--disabled', '--role', 'viewer', '--after', 'fatou', '--json'),
      cli.done('staff', 'show', 'sidi'),
      idsOf('shop', 'list', '--business', businessId, '--mode', 'test'),
      cli.done('shop', 'show', shop?._id ?? ''),
      cli.here('wallet', 'list', '--limit', '1', '--json'),
      cli.done('wallet', 'show', '44556677'),
    ])
    expect(text(staff.stdout)).to.have.lengthOf(5)
    expect(staff.stdout).to.match(/^moussa +viewer +disabled /m)
    expect(staff.stdout).to.match(/^More: add --after moussa$/m)
    const { items, next } = JSON.parse(filtered.stdout)
    expect([items.length, items[0].name, next]).to.deep.equal([1, 'moussa', null])
    const states = ['name', 'role', 'secondFactor', 'password', 'sessions']
    const times = ['disabledAt', 'createdAt', 'passwordChangedAt', 'linkExpiresAt', 'lastSignInAt']
    expect(account).to.have.all.keys([...states, ...times])
    expect(shops).to.deep.equal([shop?._id])
    expect(shownShop).to.include({ businessId, mode: 'test', products: 1 })
    expect(wallets.stdout).to.include('44 ** ** 77').and.not.include('44556677')
    expect(wallet).to.deep.include({ phone: '44556677', balance: 1250, businessId: null })
    expect(wallet.pin).to.deep.include({ failures: 5 }).and.not.include({ lockEndsAt: null })
    const after = JSON.parse(wallets.stdout).next
    const rows = text((await cli.here('wallet', 'list', '--after', after)).stdout).slice(1)
    const cells = rows.map((line) => line.split(/ {2,}/).slice(0, 4))
    expect(cells).to.deep.equal([['44 ** ** 88', '-', '7', 'open']])
    await findWalletAccount({ ...service.deps, hashDemoPin: async () => '' }, businessId, '22000006')
    const locked = await cli.done('wallet', 'show', '22000006', '--business', businessId)
    expect(locked.fixedOutcome).to.deep.equal({ outcome: 'refused', reason: 'wallet_locked' })
  })

  // Comes last, because it advances the service's clock, which the commands do not follow.
  it('removes control characters from text that comes from a business', async () => {
    const merchant = await service.merchant()
    const { businessId } = merchant
    const name = `Moved \u001b[2J\u202Eup ${'x'.repeat(150)}`
    await service.deps.Business.updateOne({ _id: businessId }, { name, suspended: false, apiEnabled: true })
    const { id } = await subscribe(service, merchant, failing.url)
    await deadDelivery(service, merchant)
    await freshDelivery(service, merchant)
    await service.deps.healthNotes.close()
    await service.deps.Business.updateOne({ _id: businessId }, { suspended: true })
    const business = (...filter: string[]) => idsOf('business', 'list', '--name', 'moved', ...filter)
    const endpoint = (...filter: string[]) => idsOf('endpoint', 'list', '--business', businessId, ...filter)
    expect(await business('--live', '--suspended')).to.deep.equal([businessId])
    expect(await endpoint('--failing')).to.deep.equal([id])
    const others = [business('--not-live'), business('--disabled')]
    const none = await Promise.all([...others, endpoint('--disabled'), endpoint('--deleted')])
    expect(none).to.deep.equal([[], [], [], []])
    const [table, json, shown, inText, ofBusiness] = await Promise.all([
      cli.here('business', 'list', '--name', 'moved'),
      cli.here('business', 'list', '--name', 'moved', '--json'),
      cli.done('endpoint', 'show', id),
      cli.here('business', 'show', businessId),
      cli.done('business', 'show', businessId),
    ])
    for (const { stdout } of [table, json, inText])
      expect(stdout).not.to.include('\u001b').and.not.include('\u202e')
    expect(JSON.parse(json.stdout).items[0].name).to.equal(name)
    expect(table.stdout).to.include(String.raw`Moved \u{1b}[2J\u{202e}up xxx`).and.include('...')
    for (const line of text(table.stdout)) expect(line.length).to.be.at.most(120)
    expect(shown).to.deep.include({ businessId, state: 'active', deliveries: { dead: 1, waiting: 1 } })
    const failed = { failuresInRow: 8, lastSuccessAt: null, lastError: 'status', lastStatus: 500 }
    expect(shown.health).to.deep.include(failed)
    expect(inText.stdout).to.match(/^ +id +state +failuresInRow +lastSuccess +dead +waiting +url$/m)
    expect(ofBusiness).to.deep.include({
      deliveries: { dead: 1, waiting: 1 },
      pendingPayments: { live: 0, test: 2 },
      suspended: true,
    })
  })
})
