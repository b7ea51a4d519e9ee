//! What compose.yaml and kubernetes.yaml say is what the programs take: variables, words, files, ports and probes.

use clap::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What runs an image of ours.
struct Container {
    /// Its name in the file, and in the other parts of it.
    name: String,
    image: String,
    words: Vec<String>,
    variables: BTreeMap<String, String>,
    /// Folders, or files, that it has beside those of the image.
    mounts: Vec<String>,
}

#[test]
fn the_programs_take_what_the_files_say() {
    let mut containers = compose_containers();
    containers.extend(kubernetes_containers());
    assert_eq!(containers.len(), 4);
    for container in &containers {
        container.hold();
    }
}

#[test]
fn others_find_the_ports_that_the_images_open() {
    let compose = &read("compose.yaml")[0];
    let caddy = &compose["services"]["caddy"];
    let probe = caddy["healthcheck"]["test"][1].as_str().unwrap();
    let sites = compose["configs"]["caddyfile"]["content"].as_str().unwrap();
    for (name, port) in [("service", 8080), ("relay", 8090)] {
        assert!(sites.contains(&format!("reverse_proxy {name}:{port}\n")));
        assert!(probe.contains(&format!("http://{name}:{port}/readyz")));
    }
    assert!(sites.contains("  @fleet path /tills /tills/*\n  respond @fleet 404\n"));
    for (name, port) in [("pos-connect-service", 8080), ("pos-connect-relay", 8090)] {
        let parts: Vec<Value> = read("kubernetes.yaml")
            .into_iter()
            .filter(|part| part["metadata"]["name"] == name)
            .collect();
        let [workload, service, policy] = &parts[..] else {
            panic!("{name}")
        };
        let pod = &workload["spec"]["template"];
        let container = &pod["spec"]["containers"][0];
        let open = &container["ports"][0];
        assert_eq!(open["containerPort"], port);
        for (probe, path) in [
            ("startupProbe", "/healthz"),
            ("livenessProbe", "/healthz"),
            ("readinessProbe", "/readyz"),
        ] {
            assert_eq!(container[probe]["httpGet"]["path"], path);
            assert_eq!(container[probe]["httpGet"]["port"], open["name"]);
        }
        assert_eq!(service["spec"]["ports"][0]["targetPort"], open["name"]);
        assert_eq!(policy["spec"]["ingress"][0]["ports"][0]["port"], port);
        let app = &pod["metadata"]["labels"]["app"];
        assert_eq!(*app, name);
        for selector in [
            &workload["spec"]["selector"]["matchLabels"],
            &service["spec"]["selector"],
            &policy["spec"]["podSelector"]["matchLabels"],
        ] {
            assert_eq!(selector["app"], *app);
        }
    }
}

impl Container {
    fn hold(&self) {
        let (name, version) = self.image.rsplit_once(':').unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        let (program, settings): (Command, _) = match name.rsplit('/').next().unwrap() {
            "pos-connect-service" => (pos_connect_service::cli::command(), "POS_CONNECT_SERVICE_"),
            "pos-connect-relay" => (pos_connect_relay::cli::command(), "POS_CONNECT_RELAY_"),
            other => panic!("{other}"),
        };
        let serve = program.find_subcommand("serve").unwrap();
        let mut words = vec![program.get_name().to_owned()];
        words.extend(self.words.iter().cloned());
        for (variable, value) in &self.variables {
            assert!(variable.starts_with(settings), "{}: {variable}", self.name);
            let known =
                |arg: &&clap::Arg| arg.get_env().is_some_and(|env| env == variable.as_str());
            let option = serve.get_arguments().find(known);
            let option =
                option.unwrap_or_else(|| panic!("{}: no option has {variable}", self.name));
            words.push(format!("--{}={value}", option.get_long().unwrap()));
        }
        // What the parser of each option says of its value.
        let read = program.clone().try_get_matches_from(&words);
        assert!(read.is_ok(), "{}: {}", self.name, read.unwrap_err());
        let files = words
            .iter()
            .map(|word| word.rsplit('=').next().unwrap())
            .filter(|word| word.starts_with('/'));
        for file in files {
            assert!(
                self.mounts
                    .iter()
                    .any(|mount| Path::new(file).starts_with(mount)),
                "{}: {file}",
                self.name
            );
        }
    }
}

fn compose_containers() -> Vec<Container> {
    let compose = &read("compose.yaml")[0];
    let services = compose["services"].as_object().unwrap();
    let ours = services
        .iter()
        .filter(|(_, one)| one["image"].as_str().unwrap().starts_with("pos-connect-"));
    let container = |(name, one): (&String, &Value)| {
        assert_eq!(one["read_only"], true);
        for secret in texts(&one["secrets"]) {
            assert!(compose["secrets"][&secret]["file"].is_string(), "{secret}");
        }
        let volumes = texts(&one["volumes"]).into_iter().map(|volume| {
            let (source, target) = volume.split_once(':').unwrap();
            assert!(compose["volumes"].as_object().unwrap().contains_key(source));
            target.to_owned()
        });
        let secrets = texts(&one["secrets"])
            .into_iter()
            .map(|secret| format!("/run/secrets/{secret}"));
        let variables = one["environment"].as_object().unwrap().iter();
        Container {
            name: format!("compose.yaml: {name}"),
            image: text(&one["image"]),
            words: texts(&one["command"]),
            variables: variables
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            mounts: volumes.chain(secrets).collect(),
        }
    };
    ours.map(container).collect()
}

fn kubernetes_containers() -> Vec<Container> {
    let pods = read("kubernetes.yaml")
        .into_iter()
        .map(|part| part["spec"]["template"]["spec"].clone());
    let container = |pod: Value| {
        let [one] = &pod["containers"].as_array().unwrap()[..] else {
            panic!("one container")
        };
        assert_eq!(pod["securityContext"]["runAsUser"], 65532);
        assert_eq!(one["securityContext"]["readOnlyRootFilesystem"], true);
        assert!(one["resources"]["limits"]["memory"].is_string());
        let rows = |list: &Value| list.as_array().unwrap().clone();
        Container {
            name: format!("kubernetes.yaml: {}", text(&one["name"])),
            image: text(&one["image"]),
            words: texts(&one["args"]),
            variables: rows(&one["env"])
                .iter()
                .map(|row| (text(&row["name"]), text(&row["value"])))
                .collect(),
            mounts: rows(&one["volumeMounts"])
                .iter()
                .map(|row| text(&row["mountPath"]))
                .collect(),
        }
    };
    pods.filter(|pod| !pod.is_null()).map(container).collect()
}

/// The documents of a file, with the operator's names filled in.
fn read(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let mut text = std::fs::read_to_string(path).unwrap();
    for (variable, value) in [
        ("${AUTH_HOST}", "auth.example.com"),
        ("${RELAY_HOST}", "relay.example.com"),
        ("${CLIENT_ID}", "vnd_1"),
        ("${TILL_ORIGIN}", "https://till.example.com"),
    ] {
        text = text.replace(variable, value);
    }
    assert!(!text.contains("${"));
    text.split("\n---\n")
        .map(|part| serde_saphyr::from_str(part).unwrap())
        .collect()
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is not a text"))
        .to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}
