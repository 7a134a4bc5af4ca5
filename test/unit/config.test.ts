import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { queueNames } from '../../src/jobs.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const enough = {
  MONGODB_URL: 'mongodb://127.0.0.1/pi',
  REDIS_URL: 'redis://127.0.0.1:6379',
  SECRET_KEY: key,
}
const faultsOf = (changes: Record<string, string | undefined>): string => {
  try {
    readConfig({ ...enough, ...changes })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('The configuration', () => {
  it('has the values of the specification where the environment says nothing', () => {
    const config = readConfig(enough)
    expect(config).to.deep.include({
      production: false,
      port: 3000,
      publicUrl: 'http://localhost:3000',
      payUrl: 'http://localhost:3000',
      trustProxy: [],
      maxAmount: 1_000_000_000,
      intentLifetimeMs: 86_400_000,
      codeLifetimeMs: 86_400_000,
      webhookRetryMs: [30_000, 120_000, 900_000, 3_600_000, 14_400_000, 43_200_000, 86_400_000],
      webhookTimeoutMs: 30_000,
      webhookHeaderBrand: 'Service',
      workerQueues: queueNames,
      walletProvider: null,
      walletTimeoutMs: 10_000,
      commissionRates: { provider: 200, payer: 100, tof: 1400, tte: 200 },
    })
    expect(config.secretKeys).to.have.lengthOf(1)
  })

  it('takes an empty value for none', () => {
    expect(readConfig({ ...enough, PORT: '', TRUST_PROXY: '', WEBHOOK_RETRY_SECONDS: '' })).to.deep.equal(
      readConfig(enough),
    )
  })

  it('reads what is given', () => {
    const config = readConfig({
      ...enough,
      NODE_ENV: 'production',
      PORT: '8080',
      PUBLIC_URL: 'https://api.example',
      PAY_URL: 'https://pay.example',
      SECRET_KEY_PREVIOUS: Buffer.alloc(32, 8).toString('base64'),
      TRUST_PROXY: '10.0.0.0/8, ::1',
      WORKER_QUEUES: 'outbox-relay, intent-expiry',
      INTENT_LIFETIME_SECONDS: '60',
      WEBHOOK_RETRY_SECONDS: '0.1,0.2,0.3,1,1,1,1',
      WEBHOOK_TIMEOUT_SECONDS: '2.5',
      WALLET_PROVIDER_URL: 'https://wallet.example/v1/',
      WALLET_PROVIDER_KEY: 'k'.repeat(32),
      WALLET_PROVIDER_TIMEOUT_SECONDS: '1.5',
      COMMISSION_PROVIDER_BPS: '0',
      COMMISSION_TTE_BPS: '5000',
    })
    expect(config).to.deep.include({
      production: true,
      port: 8080,
      publicUrl: 'https://api.example',
      payUrl: 'https://pay.example',
      trustProxy: ['10.0.0.0/8', '::1'],
      workerQueues: ['outbox-relay', 'intent-expiry'],
      intentLifetimeMs: 60_000,
      codeLifetimeMs: 60_000,
      webhookRetryMs: [100, 200, 300, 1000, 1000, 1000, 1000],
      webhookTimeoutMs: 2500,
      walletProvider: { name: 'wallet.example', url: 'https://wallet.example/v1', key: 'k'.repeat(32) },
      walletTimeoutMs: 1500,
      commissionRates: { provider: 0, payer: 100, tof: 1400, tte: 5000 },
    })
    expect(config.secretKeys).to.have.lengthOf(2)
    expect(readConfig({ ...enough, TRUST_PROXY: '2' }).trustProxy).to.equal(2)
  })

  it('says all that is wrong at once, by the name of the variable, and never a secret', () => {
    const wrong: Record<string, string | undefined> = {
      NODE_ENV: 'prod',
      PORT: 'eighty',
      PUBLIC_URL: 'https://api.example/path',
      PAY_URL: 'pay.example',
      MONGODB_URL: 'http://127.0.0.1',
      REDIS_URL: undefined,
      SECRET_KEY: 'hidden-and-short',
      SECRET_KEY_PREVIOUS: 'hidden-too',
      TRUST_PROXY: 'everybody',
      WORKER_QUEUES: 'webhook-delivery,nothing',
      LOG_LEVEL: 'loud',
      MAX_AMOUNT: '0',
      INTENT_LIFETIME_SECONDS: '-1',
      WEBHOOK_RETRY_SECONDS: '30,120',
      WEBHOOK_TIMEOUT_SECONDS: '0',
      WEBHOOK_ALLOWED_HOSTS: 'no-port',
      WEBHOOK_HEADER_BRAND: 'A Brand',
      WALLET_PROVIDER_URL: 'https://wallet.example/?key=hidden',
      WALLET_PROVIDER_KEY: 'hidden-and-short',
      WALLET_PROVIDER_NAME: 'a provider',
      WALLET_PROVIDER_TIMEOUT_SECONDS: '61',
      COMMISSION_PROVIDER_BPS: '10001',
      COMMISSION_PAYER_BPS: '-1',
      COMMISSION_TOF_BPS: '1.5',
      COMMISSION_TTE_BPS: 'much',
    }
    const message = faultsOf(wrong)
    for (const name of Object.keys(wrong)) expect(message, name).to.match(new RegExp(`^ {2}${name} `, 'm'))
    expect(message.trim().split('\n')).to.have.lengthOf(1 + Object.keys(wrong).length)
    expect(message).not.to.include('hidden')
  })

  it('says also what only two variables together show, beside all else', () => {
    const message = faultsOf({
      NODE_ENV: 'production',
      PORT: 'eighty',
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:4000',
      INTENT_LIFETIME_SECONDS: '60',
      CODE_LIFETIME_SECONDS: '61',
    })
    for (const name of ['PORT', 'WEBHOOK_ALLOWED_HOSTS', 'CODE_LIFETIME_SECONDS'])
      expect(message).to.include(`  ${name} `)
    expect(faultsOf({ CODE_LIFETIME_SECONDS: '86401' })).to.include('CODE_LIFETIME_SECONDS')
    expect(faultsOf({ CODE_LIFETIME_SECONDS: '86400' })).to.equal('')
  })

  it('takes a wallet provider with its key or neither, and in production only over https', () => {
    const url = { WALLET_PROVIDER_URL: 'http://10.0.0.7:8080' }
    const walletKey = { WALLET_PROVIDER_KEY: 'k'.repeat(32) }
    for (const half of [url, walletKey]) expect(faultsOf(half)).to.include('must be set together')
    expect(faultsOf({ ...url, ...walletKey })).to.equal('')
    const production = { NODE_ENV: 'production', ...walletKey }
    expect(faultsOf({ ...production, ...url })).to.include('WALLET_PROVIDER_URL must be https')
    expect(faultsOf({ ...production, WALLET_PROVIDER_URL: 'https://10.0.0.7' })).to.equal('')
    for (const wrong of [
      'wallet.example',
      'ftp://wallet.example',
      'https://u:p@wallet.example',
      'https://h/#a',
    ])
      expect(faultsOf({ ...walletKey, WALLET_PROVIDER_URL: wrong }), wrong).to.include(
        '  WALLET_PROVIDER_URL ',
      )
  })

  it('knows a wallet provider by the name that it is given, wherever it is', () => {
    const nameOf = (changes: Record<string, string>) =>
      readConfig({ ...enough, WALLET_PROVIDER_KEY: 'k'.repeat(32), ...changes }).walletProvider?.name
    expect(nameOf({ WALLET_PROVIDER_URL: 'http://10.0.0.7:8080/v1' })).to.equal('10.0.0.7:8080')
    for (const host of ['a.example', 'b.example'])
      expect(nameOf({ WALLET_PROVIDER_URL: `https://${host}`, WALLET_PROVIDER_NAME: 'acme-pay' })).to.equal(
        'acme-pay',
      )
  })

  it('refuses a MongoDB URL that asks for less than the service promises', () => {
    for (const option of [
      'w=1',
      'w=0',
      'W=2',
      'w=majority&w=1',
      'journal=false',
      'j=false',
      'readConcernLevel=local',
      'readConcernLevel=available',
      'readPreference=secondary',
      'readPreference=primaryPreferred',
      'replicaSet=rs0&readpreference=nearest',
      '%77=1',
    ])
      expect(faultsOf({ MONGODB_URL: `mongodb://h1,h2/pi?${option}` }), option).to.include('  MONGODB_URL ')
    for (const option of [
      '',
      '?',
      '?replicaSet=rs0',
      '?w=majority&journal=true',
      '?readConcernLevel=majority&readPreference=primary&tls=true',
    ])
      expect(faultsOf({ MONGODB_URL: `mongodb://h1,h2/pi${option}` }), option).to.equal('')
  })

  it('refuses a MongoDB URL that the driver cannot read', () => {
    for (const url of ['mongodb://localhost:99999/x', 'mongodb://', 'mongodb://h/x?noSuchOption=1'])
      expect(faultsOf({ MONGODB_URL: url }), url).to.include('  MONGODB_URL ')
    for (const url of ['mongodb://u:p@h1,h2:27018/pi?replicaSet=rs0', 'mongodb+srv://h.example/pi'])
      expect(faultsOf({ MONGODB_URL: url }), url).to.equal('')
  })

  it('takes a key of exactly 32 bytes in base64, and nothing that only looks like one', () => {
    for (const bytes of [16, 31, 33, 64])
      expect(faultsOf({ SECRET_KEY: Buffer.alloc(bytes, 7).toString('base64') })).to.include('  SECRET_KEY ')
    for (const text of ['a'.repeat(32), 'x'.repeat(64), '0123456789abcdef'.repeat(4)])
      expect(faultsOf({ SECRET_KEY: text }), text).to.include('  SECRET_KEY ')
  })
})
