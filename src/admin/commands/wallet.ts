import type { Command } from 'commander'
import { createWallet } from '../../wallets/sandbox/create-wallet.ts'
import { act, found } from './act.ts'
import { centimes, phoneNumber, pinCode } from './arguments.ts'

/** `wallet create`. */
export function addWalletCommands(program: Command): void {
  const wallet = program.command('wallet').description('wallets of the sandbox')
  wallet
    .command('create')
    .description('create a wallet for the test payments of all merchants')
    .requiredOption('--phone <phone>', '8 to 15 digits; the country code 222 is left out', phoneNumber)
    .requiredOption(
      '--pin <pin>',
      '4 to 6 digits; visible in the list of processes, so not a real one',
      pinCode,
    )
    .requiredOption('--balance <centimes>', 'its balance in centimes', centimes)
    .action(
      act(async (deps, asked: { phone: string; pin: string; balance: number }) => {
        const made = await createWallet(deps, asked)
        const { _id: id, phone, balance } = found(made, `There is a wallet ${asked.phone} already`)
        return { id, phone, balance }
      }),
    )
}
