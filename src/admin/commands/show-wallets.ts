import { type Command, InvalidArgumentError } from 'commander'
import type { IdPage, IdSlice } from '../../mongo/id-page.ts'
import type { SealedField } from '../../security/seal.ts'
import type { WalletFacts } from '../../wallets/sandbox/list-wallets.ts'
import { act, Failed, found } from './act.ts'
import { phoneNumber, someId } from './arguments.ts'
import { asList } from './list.ts'
import type { AdminDeps } from './run.ts'
import { type Column, detailsText } from './table.ts'
import { dayOf } from './text.ts'

const listHelp = `
Phone numbers are masked. A wallet without a business can pay every business.

Examples:
  admin wallet list --phone 44556677
  admin wallet list --business ID`

const showHelp = `
Without --business, shows the wallet that can pay every business. With --business,
shows the demo wallet of that business.

Example:
  admin wallet show 44556677`

interface Options {
  phone?: string
  business?: string
}

/** Adds the commands `wallet list` and `wallet show`. */
export function addWalletReads(wallet: Command): void {
  const list = wallet
    .command('list')
    .description('list sandbox wallets')
    .option('--phone <phone>', 'only wallets with this phone number', phoneNumber)
    .option('--business <id>', 'only demo wallets of this business', someId)
    .addHelpText('after', listHelp)
  asList(list, columns, read, sealedId)

  wallet
    .command('show')
    .description('show the balance of a sandbox wallet and whether its PIN is locked')
    .argument('<phone>', 'phone number of the wallet', phoneNumber)
    .option('--business <id>', 'the business that sees the demo wallet', someId)
    .addHelpText('after', showHelp)
    .action(
      act(async (deps, phone: string, { business }: Options) => {
        const { lookUpWallet } = await import('../../wallets/sandbox/list-wallets.ts')
        return found(
          await lookUpWallet(deps, phone, business ?? null),
          'There is no such wallet. A demo wallet exists from its first payment on, and can be shown only with --business',
        )
      }, detailsText),
    )
}

/** The id of a wallet contains its phone number, so the id at which the next page begins is printed in sealed form. */
const nextField: SealedField = { collection: 'wallets', id: 'list', field: 'next' }

async function read(
  deps: AdminDeps,
  { phone, business }: Options,
  { limit, after }: IdSlice,
): Promise<IdPage<WalletFacts>> {
  const { listWallets } = await import('../../wallets/sandbox/list-wallets.ts')
  const filter = { ...(phone && { phone }), ...(business && { businessId: business }) }
  const page = await listWallets(deps, filter, { limit, after: after && unsealed(deps, after) })
  return { ...page, next: page.next && deps.secrets.seal(page.next, nextField) }
}

function unsealed({ secrets }: AdminDeps, text: string): string {
  try {
    return secrets.unseal(text, nextField)
  } catch {
    throw new Failed('--after takes the "next" of the previous page.')
  }
}

function sealedId(text: string): string {
  if (!/^v1\.[\w.-]{1,400}$/.test(text)) throw new InvalidArgumentError('Must be the "next" of the previous page.')
  return text
}

const columns: Column<WalletFacts>[] = [
  { title: 'PHONE', cell: ({ phone }) => phone },
  { title: 'BUSINESS', cell: ({ businessId }) => businessId },
  { title: 'BALANCE', cell: ({ balance }) => balance },
  { title: 'PIN', cell: ({ pin }) => (pin.lockEndsAt === null ? 'open' : 'locked') },
  {
    title: 'FIXED OUTCOME',
    cell: ({ fixedOutcome }) => (fixedOutcome === null ? null : Object.values(fixedOutcome).join(' ')),
  },
  { title: 'CREATED', cell: ({ createdAt }) => dayOf(createdAt) },
]
