import type { Command } from 'commander'
import { createWallet } from '../../wallets/sandbox/create-wallet.ts'
import { act, found } from './act.ts'
import { centimes, phoneNumber, pinCode } from './arguments.ts'

/** `wallet create`. */
export function addWalletCommands(program: Command): void {
  const wallet = program.command('wallet').description("customers' wallets of the sandbox")
  wallet
    .command('create')
    .description('a new wallet, for the test payments of every merchant')
    .requiredOption('--phone <phone>', 'the number that the customer pays by', phoneNumber)
    .requiredOption('--pin <pin>', '4 to 6 digits; seen in the list of processes, so no real one', pinCode)
    .requiredOption('--balance <centimes>', 'what is in it', centimes)
    .action(
      act(async (deps, asked: { phone: string; pin: string; balance: number }) => {
        const made = await createWallet(deps, asked)
        const { _id: id, phone, balance } = found(made, `There is a wallet ${asked.phone} already`)
        return { id, phone, balance }
      }),
    )
}
