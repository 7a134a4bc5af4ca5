import type { Command } from 'commander'
import type { IdPageRequest } from '../../mongo/id-page.ts'
import type { EncryptedField } from '../../security/encrypt.ts'
import { walletDisplay } from '../../staff-acts/shown.ts'
import type { WalletFilter } from '../../wallets/sandbox/operate.ts'
import { addListAction, addSubcommand, CommandFailed, commandAction, examplesHelp, orFail } from './act.ts'
import * as args from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { detailsText, toColumn } from './text.ts'

const listHelp = `
Phone numbers are masked. A wallet without a business can pay every business.
${examplesHelp('wallet list --phone 44556677', 'wallet list --business ID')}`

const showHelp = `
Without --business, shows the wallet that can pay every business. With --business,
shows the demo wallet of that business.
${examplesHelp('wallet show 44556677')}`

export function addWalletCommands(program: Command): void {
  const wallet = addSubcommand(program, 'wallet', 'create sandbox wallets')
  const createHelp = examplesHelp('wallet create --phone 44556677 --pin 2580 --balance 100000')
  const description = 'create a wallet that can pay test payment intents of every business'
  addSubcommand(wallet, 'create', description, createHelp)
    .requiredOption('--phone <phone>', 'phone number of the customer', args.parseWalletPhone)
    .requiredOption('--pin <pin>', pinDescription, args.parsePin)
    .requiredOption('--balance <centimes>', 'the balance in centimes', args.parseCentimesArgument)
    .action(commandAction(createSandboxWallet))

  const list = addSubcommand(wallet, 'list', 'list sandbox wallets', listHelp)
    .option('--phone <phone>', 'only wallets with this phone number', args.parsePhoneNumber)
    .option('--business <id>', 'only demo wallets of this business', args.idArgument)
  addListAction(list, Object.values(walletDisplay).map(toColumn), async () => readPage, encryptedId)

  addSubcommand(wallet, 'show', "show a sandbox wallet's balance and whether its PIN is locked", showHelp)
    .argument('<phone>', 'phone number of the wallet', args.parsePhoneNumber)
    .option('--business <id>', 'the business that sees the demo wallet', args.idArgument)
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
    'There is no such wallet. A demo wallet is created by its first payment, and can be shown only with --business',
  )
}

/** `next` contains a phone number, so it's encrypted. */
const nextField: EncryptedField = { collection: 'wallets', id: 'list', field: 'next' }

const notNext = 'Must be the "next" of the previous page.'
const encryptedId = args.createParser((text) => /^v1\.[\w.-]{1,400}$/.exec(text)?.[0], notNext)

async function readPage(deps: AdminDeps, filter: WalletFilter, { limit, after }: IdPageRequest) {
  const { listWallets } = await import('../../wallets/sandbox/operate.ts')
  const page = await listWallets(deps, filter, { limit, after: after && decrypted(deps, after) })
  return { ...page, next: page.next && deps.secrets.encrypt(page.next, nextField) }
}

function decrypted({ secrets }: AdminDeps, text: string) {
  try {
    return secrets.decrypt(text, nextField)
  } catch {
    throw new CommandFailed('--after takes the "next" of the previous page.')
  }
}
