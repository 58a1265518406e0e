import { choice, decimal, flag, mapOf, section, text, textList, whole } from '../values.ts'

const image = 'nikolaik/python-nodejs:python3.11-nodejs20'

/** Where and how commands run. */
export const terminalSettings = {
  terminal: section({
    backend: choice(['local', 'docker', 'ssh', 'singularity', 'modal', 'daytona'], 'local').describe(
      'Where commands run.',
    ),
    modal_mode: choice(['auto', 'direct', 'managed'], 'auto').describe('How Modal is reached.'),
    cwd: text('.').describe('Directory that sessions start in; . is where hermes was started.'),
    timeout: whole(60, { min: 1 }).describe('Seconds that a command gets when the call names none.'),
    max_foreground_timeout: whole(600, { min: 1 }).describe('Most seconds that a call may ask for.'),
    lifetime_seconds: whole(300, { min: 0 }).describe('Idle seconds after which a sandbox is closed.'),
    persistent_shell: flag(true).describe('Keep directory and variables between commands, on backends but local.'),
    env_passthrough: textList().describe('Environment variables handed to sandboxes.'),
    credential_files: textList().describe('Files mounted into sandboxes.'),
    docker_image: text(image).describe('Docker image.'),
    docker_forward_env: textList().describe('Environment variables handed to the container.'),
    docker_env: mapOf(text()).describe('Environment of the container, name to value.'),
    docker_volumes: textList().describe('Mounts, as host:container or host:container:options.'),
    docker_mount_cwd_to_workspace: flag(false).describe('Mount the working directory at /workspace.'),
    singularity_image: text(`docker://${image}`).describe('Singularity or Apptainer image.'),
    modal_image: text(image).describe('Modal image.'),
    daytona_image: text(image).describe('Daytona image.'),
    ssh_host: text().describe('SSH host.'),
    ssh_user: text().describe('SSH user.'),
    ssh_port: whole(22, { min: 1, max: 65_535 }).describe('SSH port.'),
    ssh_key: text().describe('Path of the private key for SSH.'),
    container_cpu: decimal(1, { min: 0 }).describe('CPU cores of a container.'),
    container_memory: whole(5120, { min: 0 }).describe('Memory of a container, MB.'),
    container_disk: whole(51_200, { min: 0 }).describe('Disk of a container, MB.'),
    container_persistent: flag(true).describe("Keep a container's files between sessions."),
    sandbox_dir: text().describe('Where sandboxes keep their files; sandboxes/ in the home when empty.'),
    sudo_password: text().describe('Password for sudo; better kept in .env as SUDO_PASSWORD.'),
  }).describe('Where and how commands run.'),
  browser: section({
    inactivity_timeout: whole(120, { min: 0 }).describe('Idle seconds after which the browser is closed.'),
    command_timeout: whole(30, { min: 1 }).describe('Seconds that one browser action gets.'),
    record_sessions: flag(false).describe('Keep a video of what the browser does.'),
    allow_private_urls: flag(false).describe('Let the browser open addresses of the local network.'),
    cloud_provider: choice(['', 'local', 'browserbase', 'browser-use', 'firecrawl'], '').describe(
      'Where the browser runs; found by the keys there are when empty.',
    ),
    camofox: section({
      managed_persistence: flag(false).describe('Keep the Camofox profile between sessions.'),
    }).describe('The Camofox browser.'),
  }).describe('The browser tools.'),
  web: section({
    backend: choice(['', 'firecrawl', 'parallel', 'tavily', 'exa', 'brave', 'searxng', 'duckduckgo'], '', {
      'brave-free': 'brave',
      ddgs: 'duckduckgo',
    }).describe('Search and extraction service; found by the keys there are when empty, or else DuckDuckGo.'),
  }).describe('The web tools.'),
}
