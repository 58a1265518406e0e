import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harmlessCommands } from './command-cases.ts'
import { type CommandPlace, findDangers } from './dangerous-commands.ts'

const place: CommandPlace = { cwd: '/work/project', userHome: '/home/ann', hermesHome: '/home/ann/.hermes' }

/** Plain words, so that every disguise can be made of them: no quotes, no expansions. */
const simpleCommands: readonly string[] = [
  'rm -rf build',
  'rm -r /var/lib/x',
  'rm --recursive --force /srv',
  'find . -delete',
  'chmod -R 777 /srv',
  'chmod 666 secrets.txt',
  'chown -R root /srv',
  'mkfs.ext4 /dev/sdb1',
  'dd if=/dev/zero of=/dev/sda',
  'shred -u notes.txt',
  'git reset --hard',
  'git push --force',
  'git clean -fdx',
  'git branch -D main',
  'systemctl stop nginx',
  'systemctl disable sshd',
  'kill -9 -1',
  'pkill -9 node',
  'killall hermes',
  'shutdown -h now',
  'reboot',
  'cat /home/ann/.ssh/id_rsa',
  'cat /home/ann/.hermes/.env',
  'cat /etc/shadow',
  'cat .env',
  'truncate -s 0 /etc/passwd',
  'tee /etc/hosts',
  'sed -i s/a/b/ /etc/fstab',
  'mv x /home/ann/.bashrc',
  'crontab -r',
  'docker system prune -af',
  'kubectl delete namespace prod',
  'terraform destroy',
  'iptables -F',
  'userdel ann',
]

const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')
const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
const octal = (text: string) => [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const words = (text: string) => text.split(' ')
const letters = (text: string) => Array.from(text)
const first = (text: string) => words(text)[0] ?? ''
const rest = (text: string) => words(text).slice(1).join(' ')
const inner = (text: string, make: (letter: string) => string) => text.charAt(0) + make(text.charAt(1)) + text.slice(2)

/** Ways to write a command so that a reader, or a pattern, does not see it. */
const disguises: Readonly<Record<string, readonly ((command: string) => string)[]>> = {
  quotes: [
    (c) =>
      words(c)
        .map((word) => `"${word}"`)
        .join(' '),
    (c) =>
      words(c)
        .map((word) => inner(word, (letter) => `'${letter}'`))
        .join(' '),
    (c) => `${inner(first(c), () => `''${first(c).charAt(1)}""`)} ${rest(c)}`,
    (c) =>
      words(c)
        .map((word) => word.replaceAll(/[a-z]/g, (letter) => `\\${letter}`))
        .join(' '),
    (c) =>
      words(c)
        .map((word) => `$'${word}'`)
        .join(' '),
    (c) =>
      words(c)
        .map((word) => `$'${escaped(word)}'`)
        .join(' '),
    (c) =>
      words(c)
        .map((word) => `$'${octal(word)}'`)
        .join(' '),
  ],
  variables: [
    (c) => `p=${first(c)}; $p ${rest(c)}`,
    (c) => `p=${first(c)} && "\${p}" ${rest(c)}`,
    (c) => `a=${first(c).slice(0, 1)}; b=${first(c).slice(1)}; $a$b ${rest(c)}`,
    (c) => `c=${quoted(c)}; $c`,
    (c) => `c=(${c}); "\${c[@]}"`,
    (c) => `set -- ${c}; "$@"`,
    (c) => `export X=${quoted(c)}; eval "$X"`,
    (c) => `x=zz${first(c)}; \${x#zz} ${rest(c)}`,
    (c) => `x=${first(c)}zz; \${x%zz} ${rest(c)}`,
    (c) => `x=zz${first(c)}; \${x:2} ${rest(c)}`,
    (c) => `\${nothing:-${first(c)}} ${rest(c)}`,
    (c) => `y=${first(c)}; z=y; \${!z} ${rest(c)}`,
    (c) => `printf -v p %s ${first(c)}; $p ${rest(c)}`,
    (c) => `read -r p <<< ${first(c)}; $p ${rest(c)}`,
  ],
  whitespace: [
    (c) => words(c).join('\t'),
    (c) => `  ${words(c).join('   ')}  `,
    (c) => words(c).join('${IFS}'),
    (c) => words(c).join('$IFS$9'),
    (c) => (words(c).length > 1 ? `{${words(c).join(',')}}` : c),
  ],
  unicode: [
    (c) =>
      `${first(c).replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0))} ${rest(c)}`,
    (c) => inner(c, (letter) => `${letter}\u200b`),
    (c) => `echo hello \u202e; ${c}`,
    (c) => `${c} \u2066# nothing to see\u2069`,
  ],
  'line continuation': [
    (c) => inner(c, (letter) => `\\\n${letter}`),
    (c) => words(c).join(' \\\n  '),
    (c) => letters(first(c)).join('\\\n') + ` ${rest(c)}`,
  ],
  subshells: [
    (c) => `(${c})`,
    (c) => `{ ${c}; }`,
    (c) => `echo $(${c})`,
    (c) => `echo \`${c}\``,
    (c) => `x=$( (${c}) )`,
    (c) => `cat <(${c})`,
    (c) => `$(echo ${c})`,
    (c) => `$(printf %s ${first(c)}) ${rest(c)}`,
    (c) => `true | ${c}`,
    (c) => `coproc ${c}`,
  ],
  eval: [
    (c) => `eval ${c}`,
    (c) => `eval ${quoted(c)}`,
    (c) => `eval "$(echo ${quoted(c)})"`,
    (c) => `eval eval ${quoted(quoted(c))}`,
    (c) => `bash -c ${quoted(c)}`,
    (c) => `sh -ec ${quoted(c)}`,
    (c) => `bash -c "$(cat <<'X'\n${c}\nX\n)"`,
    (c) => `bash -lc 'eval "$0"' ${quoted(c)}`,
    (c) => `bash -c '"$@"' _ ${c}`,
    (c) => `trap ${quoted(c)} EXIT`,
    (c) => `. <(echo ${quoted(c)})`,
    (c) => `source /dev/stdin <<< ${quoted(c)}`,
    (c) => `PROMPT_COMMAND=${quoted(c)}`,
  ],
  'encoded payloads': [
    (c) => `echo ${base64(c)} | base64 -d | sh`,
    (c) => `bash -c "$(echo ${base64(c)} | base64 --decode)"`,
    (c) => `eval $(base64 -d <<< ${base64(c)})`,
    (c) => `echo ${hex(c)} | xxd -r -p | bash`,
    (c) => `printf '${escaped(c)}' | sh`,
    (c) => `printf '${octal(c)}' | bash`,
    (c) => `$(printf '${escaped(first(c))}') ${rest(c)}`,
    (c) => `echo -e '${escaped(c)}' | sh`,
    (c) => `echo ${quoted(letters(c).toReversed().join(''))} | rev | sh`,
    (c) => `echo ${quoted(c)} | tr a-z a-z | bash`,
    (c) => `openssl base64 -d <<< ${base64(c)} | sh`,
    (c) => `bash <(echo ${base64(c)} | base64 -d)`,
    (c) => `python3 -c "import os,base64;os.system(base64.b64decode('${base64(c)}').decode())"`,
  ],
  heredocs: [
    (c) => `bash <<X\n${c}\nX`,
    (c) => `sh <<'X'\n${c}\nX`,
    (c) => `bash -s <<-X\n\t${c}\n\tX`,
    (c) => `cat <<X | bash\n${c}\nX`,
    (c) => `bash <<< ${quoted(c)}`,
    (c) => `cat > run.sh <<X\n${c}\nX\nbash run.sh`,
    (c) => `echo ${quoted(c)} > run.sh; sh run.sh`,
    (c) => `python3 <<X\nimport os\nos.system('${c}')\nX`,
  ],
  'interpreters with code': [
    (c) => `python3 -c "import os; os.system('${c}')"`,
    (c) => `python3 -Ic "__import__('subprocess').run('${c}', shell=True)"`,
    (c) => `perl -e 'system(q(${c}))'`,
    (c) => `ruby -e 'system(%q(${c}))'`,
    (c) => `node -e "require('child_process').execSync('${c}')"`,
    (c) => `node --eval="require('child_process').execSync('${c}')"`,
    (c) => `php -r 'system("${c}");'`,
    (c) => `lua -e 'os.execute("${c}")'`,
    (c) => `awk 'BEGIN { system("${c}") }'`,
    (c) => `echo x | sed '1e ${c}'`,
    (c) => `vim -es -c '!${c}' -c q`,
    (c) => `make --eval='all:; ${c}' all`,
    (c) => `make -f - <<X\nall:\n\t${c}\nX`,
  ],
  'aliases and functions': [
    (c) => `f() { ${c}; }; f`,
    (c) => `function f { ${c}; }; f`,
    (c) => `alias ll=${quoted(c)}; ll`,
    (c) => `f() { "$@"; }; f ${c}`,
    (c) => `f() { $1 ${rest(c)}; }; f ${first(c)}`,
    (c) => `ls() { command ${c}; }; ls`,
    (c) => `git config alias.st '!${c}'; git st`,
  ],
  'xargs and find': [
    (c) => `echo ${rest(c)} | xargs ${first(c)} ${rest(c)}`,
    (c) => `echo x | xargs -I{} ${c}`,
    (c) => `echo x | xargs -I{} sh -c ${quoted(c)}`,
    (c) => `find . -maxdepth 0 -exec ${c} \\;`,
    (c) => `find . -maxdepth 0 -exec sh -c ${quoted(c)} \\;`,
    (c) => `parallel ${quoted(c)} ::: 1`,
    (c) => `echo ${quoted(c)} | xargs -0 bash -c`,
    (c) => `echo ${quoted(c)} | parallel`,
  ],
  wrappers: [
    (c) => `env ${c}`,
    (c) => `env -i A=1 ${c}`,
    (c) => `env -S ${quoted(c)}`,
    (c) => `env --split-string=${quoted(c)}`,
    (c) => `sudo -n -- ${c}`,
    (c) => `sudo -u bob A=1 ${c}`,
    (c) => `nohup nice -n 5 timeout 9 ${c} &`,
    (c) => `command ${c}`,
    (c) => `busybox ${c}`,
    (c) => `script -qc ${quoted(c)} log`,
    (c) => `flock lock -c ${quoted(c)}`,
    (c) => `watch -n1 ${quoted(c)}`,
    (c) => `ssh localhost ${quoted(c)}`,
    (c) => `tmux new -d ${quoted(c)}`,
    (c) => `setsid -w ${c}`,
    (c) => `su bob -c ${quoted(c)}`,
    (c) => `strace -f -o log ${c}`,
    (c) => `at now <<< ${quoted(c)}`,
    (c) => `/usr/bin/env ${c}`,
    (c) => `nsenter -t 1 -m ${c}`,
  ],
  'programs told to run another': [
    (c) => `git -c core.pager=${quoted(c)} log`,
    (c) => `git -c alias.x=${quoted(`!${c}`)} x`,
    (c) => `GIT_SSH_COMMAND=${quoted(c)} git fetch`,
    (c) => `git clone -c core.sshCommand=${quoted(c)} ssh://x/y`,
    (c) => `tar cf x.tar --checkpoint=1 --checkpoint-action=exec=${quoted(c)} .`,
    (c) => `tar xf x.tar --to-command=${quoted(c)}`,
    (c) => `tar -I ${quoted(c)} -xf x.tar`,
    (c) => `ssh -o ProxyCommand=${quoted(c)} host`,
    (c) => `ssh -oProxyCommand=${quoted(c)} host`,
    (c) => `ssh -o PermitLocalCommand=yes -o LocalCommand=${quoted(c)} host`,
    (c) => `scp -S ${quoted(c)} a host:`,
    (c) => `scp -o ProxyCommand=${quoted(c)} a host:`,
    (c) => `rsync -e ${quoted(c)} a host:`,
    (c) => `rsync --rsh=${quoted(c)} a host:`,
    (c) => `PAGER=${quoted(c)} man ls`,
    (c) => `MANPAGER=${quoted(c)} man ls`,
    (c) => `man -P ${quoted(c)} ls`,
    (c) => `LESSOPEN=${quoted(`|${c}`)} less x`,
    (c) => `less '+!${c}' x`,
    (c) => `EDITOR=${quoted(c)} git commit`,
    (c) => `vim -c ':!${c}' x`,
    (c) => `vim --cmd '!${c}'`,
    (c) => `zip x.zip a -T --unzip-command=${quoted(c)}`,
    (c) => `make SHELL=/tmp/x CC=${quoted(c)}`,
    (c) => `BASH_ENV=<(echo ${quoted(c)}) bash -c true`,
    (c) => `PS4='$(${c})' bash -xc true`,
    (c) => `sqlite3 x.db '.shell ${c}'`,
    (c) => `psql -c '\\! ${c}'`,
    (c) => `gdb -batch -ex 'shell ${c}'`,
    (c) => `npm exec -c ${quoted(c)}`,
    (c) => `docker run alpine ${c}`,
  ],
}

async function isCaught(command: string): Promise<boolean> {
  return (await findDangers(command, place)).length > 0
}

for (const [name, makers] of Object.entries(disguises)) {
  test(`a dangerous command is seen through: ${name}`, async (t) => {
    const missed: string[] = []
    let count = 0
    for (const make of makers) {
      for (const command of simpleCommands) {
        const disguised = make(command)
        count++
        if (!(await isCaught(disguised))) missed.push(disguised)
      }
    }
    t.diagnostic(`${count - missed.length} of ${count} caught`)
    assert.deepEqual(missed, [])
  })
}

test('plain commands under the same test are all dangerous', async () => {
  for (const command of simpleCommands) assert.ok(await isCaught(command), command)
})

/** Harmless whatever stands around them: what is dangerous must be what is in the disguise. */
const shells: readonly ((command: string) => string)[] = [
  (c) => `(${c})`,
  (c) => `f() { ${c}\n}; f`,
  (c) => `env ${c}`,
  (c) => `timeout 5 ${c}`,
  (c) => `bash -c ${quoted(c)}`,
  (c) => `eval ${quoted(c)}`,
]

test('the same around harmless commands raises few false alarms', async (t) => {
  const plain = harmlessCommands.filter((command) => /^[\w./-]+(?: [\w./=:-]+)*$/.test(command))
  const alarms: string[] = []
  for (const make of shells) {
    for (const command of plain) if (await isCaught(make(command))) alarms.push(make(command))
  }
  const count = plain.length * shells.length
  t.diagnostic(`${alarms.length} of ${count} false alarms`)
  assert.ok(alarms.length <= count * 0.03, alarms.join('\n'))
})
