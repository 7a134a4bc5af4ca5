import type { Command } from 'commander'
import type { IdPageRequest } from '../../mongo/id-page.ts'
import type { EncryptedField } from '../../security/encrypt.ts'
import { walletShown } from '../../staff-acts/shown.ts'
import type { WalletFilter } from '../../wallets/sandbox/operate.ts'
import { asList, CommandFailed, commandAction, examples, orFail, subcommand } from './act.ts'
import { parseCentimesArgument, parserFor, phoneNumber, pinCode, someId, walletPhone } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { columnOf, detailsText } from './text.ts'

const listHelp = `
Phone numbers are masked. A wallet without a business can pay every business.
${examples('wallet list --phone 44556677', 'wallet list --business ID')}`

const showHelp = `
Without --business, shows the wallet that can pay every business. With --business,
shows the demo wallet of that business.
${examples('wallet show 44556677')}`

export function addWalletCommands(program: Command): void {
  const wallet = subcommand(program, 'wallet', 'create sandbox wallets')
  const createHelp = examples('wallet create --phone 44556677 --pin 2580 --balance 100000')
  const description = 'create a wallet that can pay test payment intents of every business'
  subcommand(wallet, 'create', description, createHelp)
    .requiredOption('--phone <phone>', 'phone number of the customer', walletPhone)
    .requiredOption('--pin <pin>', pinDescription, pinCode)
    .requiredOption('--balance <centimes>', 'the balance in centimes', parseCentimesArgument)
    .action(commandAction(createSandboxWallet))

  const list = subcommand(wallet, 'list', 'list sandbox wallets', listHelp)
    .option('--phone <phone>', 'only wallets with this phone number', phoneNumber)
    .option('--business <id>', 'only demo wallets of this business', someId)
  asList(list, Object.values(walletShown).map(columnOf), async () => readPage, encryptedId)

  subcommand(wallet, 'show', 'show the balance of a sandbox wallet and whether its PIN is locked', showHelp)
    .argument('<phone>', 'phone number of the wallet', phoneNumber)
    .option('--business <id>', 'the business that sees the demo wallet', someId)
    .action(commandAction(showWallet, detailsText))
}

const pinDescription = '4 to 6 digits; other users of this machine can see it, so do not use a real PIN'

async function createSandboxWallet(deps: AdminDeps, input: { phone: string; pin: string; balance: number }) {
  const { createWallet } = await import('../../wallets/sandbox/operate.ts')
  const created = await createWallet(deps, input, deps.by)
  const { _id: id, phone, balance } = orFail(created, `There is already a wallet ${input.phone}`)
  return { id, phone, balance }
}

async function showWallet(deps: AdminDeps, phone: string, { business = null }: { business?: string | null }) {
  const { lookUpWallet } = await import('../../wallets/sandbox/operate.ts')
  return orFail(
    await lookUpWallet(deps, phone, business),
    'There is no such wallet. A demo wallet exists from its first payment on, and can be shown only with --business',
  )
}

/** Encrypts the id at which the next page begins, because it contains a phone number. */
const nextField: EncryptedField = { collection: 'wallets', id: 'list', field: 'next' }

const notNext = 'Must be the "next" of the previous page.'
const encryptedId = parserFor((text) => /^v1\.[\w.-]{1,400}$/.exec(text)?.[0], notNext)

async function readPage(deps: AdminDeps, filter: WalletFilter, { limit, after }: IdPageRequest) {
  const { listWallets } = await import('../../wallets/sandbox/operate.ts')
  const page = await listWallets(deps, filter, { limit, after: after && decrypted(deps, after) })
  return { ...page, next: page.next && deps.secrets.encrypt(page.next, nextField) }
}

function decrypted({ secrets }: AdminDeps, text: string): string {
  try {
    return secrets.decrypt(text, nextField)
  } catch {
    throw new CommandFailed('--after takes the "next" of the previous page.')
  }
}
