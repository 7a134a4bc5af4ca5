import { collectionDeclarations } from '../../src/context/models.ts'
import type { StoredFields } from '../../src/mongo/fields.ts'
import { resetPerson } from '../../src/people/change-people.ts'
import { cleanedModels } from '../../src/retention/cleaning.ts'
import { createAccountWithLink } from '../../src/staff/change-account.ts'
import { addPerson, addPersonFactor, newName } from '../people/member.ts'
import { createIntent, freshDelivery, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { pay } from '../support/pay.ts'
import { recordLog } from '../support/recorded-log.ts'
import { withService } from '../support/service.ts'
import { withAdmin } from './admin.ts'
import { addFactor, operator, signedIn } from './staff.ts'

const secretsOf = (fields: StoredFields): string[] =>
  Object.entries(fields).flatMap(([name, { isSecret, fields: inner = {} }]) =>
    isSecret === true ? name : secretsOf(inner).map((path) => `${name}.${path}`),
  )

const textsAt = (value: unknown, path: string[]): string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => textsAt(each, path))
  const [name, ...others] = path
  if (name === undefined) return typeof value === 'string' ? [value] : []
  return textsAt((value as Record<string, unknown> | null | undefined)?.[name], others)
}

describe('The schema of each collection', () => {
  const recorded = recordLog()
  const service = withService({}, recorded.log)
  const cli = withAdmin(service)
  const endpointServer = withEndpointServer()

  it('declares every secret field, so that secrets are stored only hashed or encrypted and never shown', async () => {
    const merchant = await service.merchant()
    const api = '/api/v1/dev'
    const { id } = await subscribe(service, merchant, endpointServer.url)
    const rotated = await service.http
      .post(`${api}/webhooks/endpoints/${id}/rotate-secret`)
      .set(merchant.write())
      .expect(200)
    const headers = { 'X-Api-Key': 'password-of-a-gateway' }
    await service.http
      .put(`${api}/webhooks/endpoints/${id}`)
      .set(merchant.write())
      .send({ headers })
      .expect(200)
    const { referenceNumber } = await createIntent(service, merchant)
    await pay(service, referenceNumber)
    const { _id: deliveryId } = await freshDelivery(service, merchant)
    await createAccountWithLink(service.deps, { name: 'linked', role: 'viewer' }, operator)
    const staff = await signedIn(service, 'admin')
    const phone = await addFactor(service, staff)
    const [ownerName, linked] = [newName(), await addPerson(service, merchant.businessId, 'owner')]
    await addPerson(service, merchant.businessId, 'owner', ownerName)
    const { codes: recoveryCodes } = await addPersonFactor(service, ownerName)
    await resetPerson(service.deps, linked, operator)
    const secrets = await Promise.all(
      collectionDeclarations.flatMap(({ name, fields }) =>
        secretsOf(fields).map(async (path) => {
          const documents = await service.deps.mongo.collection(name).find().toArray()
          const values = documents.flatMap((each) => textsAt(each, path.split('.')))
          return { path: `${name}.${path}`, values }
        }),
      ),
    )
    expect(secrets.map(({ path }) => path)).to.have.members(
      `apikeys.secrets.hash invitations.hash people.link.hash people.passwordHash
      people.secondFactor.recoveryCodes people.secondFactor.secret peoplesessions._id responses.response servicekeys.key staff.link.hash staff.passwordHash
      staff.secondFactor.recoveryCodes staff.secondFactor.secret staffsessions._id wallets.pinHash
      webhookendpoints.headers.encrypted webhookendpoints.previousSecrets.secret
      webhookendpoints.secret`.split(/\s+/),
    )
    // Encrypted (seal.ts), argon2id, or a digest of 256 bits.
    const isProtected = /^(v1\.[\da-f]{8}\.[\w-]+|\$argon2id\$\S+|[\w-]{43})$/
    for (const { path, values } of secrets) {
      expect(values, path).to.not.deep.equal([])
      for (const value of values) expect(value, path).to.match(isProtected)
    }
    const read = async (path: string) => {
      const { body } = await service.http
        .get(api + path)
        .set(merchant.read())
        .expect(200)
      return JSON.stringify(body)
    }
    const page = async (path: string) => {
      const { status, text } = await staff.get(`/admin/${path}`)
      expect(status, path).to.equal(200)
      return text
    }
    const command = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await cli.here(...args)
      expect(exitCode, stderr).to.equal(0)
      return stdout
    }
    const shown = await Promise.all([
      ...['/webhooks', `/webhooks/endpoints/${id}`, '/webhooks/events', `/intents/${referenceNumber}`].map(
        read,
      ),
      ...['account', 'staff', 'audit', `payments/${referenceNumber}`, `keys/${merchant.keyId}`].map(page),
      ...[`endpoints/${id}`, `deliveries/${deliveryId}`, `businesses/${merchant.businessId}`].map(page),
      command('key', 'show', merchant.keyId, '--json'),
      command('endpoint', 'list', '--business', merchant.businessId, '--json'),
      command('staff', 'list', '--json'),
      command('wallet', 'list', '--json'),
      command('person', 'list', '--json'),
      command('audit', 'export'),
    ])
    shown.push(recorded.text)
    for (const each of shown) expect(each).to.not.equal('')
    const plain = [
      merchant.key,
      headers['X-Api-Key'],
      rotated.body.data.secret,
      staff.password,
      ...phone.recoveryCodes,
      ...recoveryCodes,
    ]
    for (const secret of [...plain, ...secrets.flatMap(({ values }) => values)])
      expect(shown.filter((text) => text.includes(secret))).to.deep.equal([])
  })

  it('says what removes the documents: an index, the clean-up or nothing', () => {
    const cleaned = Object.values(cleanedModels).map((model) => service.deps[model].collection.collectionName)
    for (const { name, kept, indexes } of collectionDeclarations) {
      const expires = indexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)
      expect(/\bexpires\b/.test(kept), `${name} is kept ${kept}`).to.equal(expires)
      expect(/\bclean-up\b/.test(kept), `${name} is kept ${kept}`).to.equal(cleaned.includes(name))
    }
  })
})
