{
  description = "Parley: the tools of its development, at one version each";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.11";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      forEachSystem = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages =
            [
              pkgs.nodejs_24
              # For DATABASE_URL; without it Parley runs the PostgreSQL that npm installs.
              pkgs.postgresql_18
              # What the README's examples are written with.
              pkgs.curl
              pkgs.jq
              # Python tools, a voice for the other end of a line, and a caller that speaks SIP.
              pkgs.python3
              pkgs.espeak-ng
              pkgs.sipp
            ]
            ++ pkgs.lib.optionals pkgs.stdenv.isLinux [
              # The sandbox of Python tools, and a browser for tests of pages.
              pkgs.bubblewrap
              pkgs.chromium
            ];
        };
      });
    };
}
